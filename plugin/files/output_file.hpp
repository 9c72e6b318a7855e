#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::files {

/// Writes a file that appears whole or not at all: a temporary file beside it, flushed to disk,
/// then renamed. A file of that name is replaced.
/// Errors: Error{InvalidInput} when the folder cannot be written (says which and why),
/// Error{Device} when the disk is full or fails. Messages name only the last parts of the path.
class OutputFile {
public:
    explicit OutputFile(std::string path);
    /// Removes the temporary file when commit() was not reached.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Where another program may write the file instead, before commit(); it is there, and empty.
    [[nodiscard]] const std::string& temporary() const;
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// Gives the file its name. Nothing can be written afterwards.
    void commit();
    /// The same, but nothing is replaced: while something has the name, the file gets the one that
    /// `next` returns. Gives the name that it got, which nobody else has got.
    [[nodiscard]] std::string commitAsNew(const std::function<std::string()>& next);

private:
    void end();

    struct State;
    std::unique_ptr<State> state_;
};

/// The whole of a small file at once.
void writeFileAtomically(const std::string& path, std::string_view bytes);
/// The same under the first name that `next` returns and nothing has yet (commitAsNew); that name.
[[nodiscard]] std::string writeNewFile(const std::function<std::string()>& next,
                                       std::string_view bytes);
/// Makes the folder and its parents; one that exists is fine. Error{InvalidInput} with the reason.
void makeFolders(const std::string& path);

}  // namespace lowtide::files
