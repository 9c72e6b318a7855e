#pragma once

#include "plugin/base/stop_token.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::files {

/// Where the system finds a program of that name (PATH); nothing: nowhere.
[[nodiscard]] std::optional<std::string> findProgram(std::string_view name);

/// Another program, which runs next to this one and shares no memory with it: it is fed through its
/// standard input and answers on its standard output. It ends with the object, whatever it does.
class Program {
public:
    struct Start {
        std::string path;  ///< of findProgram()
        std::vector<std::string> arguments;
        std::string folder{};  ///< where it works; empty: where this process does
        std::string third{};   ///< what it may read from descriptor 3, as a file
        /// It fails when it is silent, or does not end, for so long; 0: it may take its time.
        std::chrono::milliseconds patience{};
    };

    /// Error{Device} with the system's reason where it cannot be started.
    explicit Program(const Start& start);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Returns when the program has taken all bytes. Error{Device} with its own words where it
    /// takes no more; Error{Cancelled}.
    void write(std::span<const std::byte> bytes, const StopToken& stop);
    /// Up to target.size() bytes of what it answers; 0 at the end, or when it has ended.
    /// Error{Device} when its patience is over; Error{Cancelled}.
    [[nodiscard]] size_t read(std::span<std::byte> target, const StopToken& stop);
    /// Signals that nothing more comes, and waits for its end. Error{Device} with its own words
    /// where it failed; Error{Cancelled}.
    void finish(const StopToken& stop);
    /// The last that it wrote on its standard error, in one line.
    [[nodiscard]] std::string words() const;

private:
    [[noreturn]] void refuseUnread(const StopToken& stop);

    struct State;
    std::unique_ptr<State> state_;
};

struct Answer {
    std::string text;
    std::string words;  ///< of Program::words()
};

/// All that a program answers, at most `most` bytes. Error{Device} also where it answers more.
[[nodiscard]] Answer answerOf(const Program::Start& start, size_t most, const StopToken& stop);

}  // namespace lowtide::files
