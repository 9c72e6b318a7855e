#pragma once
// The one exception of the project, its codes, and errors with a code and facts of their own.

#include "plugin/base/message.hpp"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace lowtide {

enum class ErrorKind : uint8_t {
    InvalidInput,
    NotFound,
    Unsupported,
    Corrupt,
    OutOfMemory,
    Device,
    Cancelled,
    Internal,
};

/// The one exception of the project. `message` states what failed, with which values; `hint` what
/// to do. `item` names the port, parameter or key to blame, empty when none is.
class Error : public std::exception {
public:
    Error(ErrorKind kind, Message message, Message hint = {}, std::string item = {});

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

    [[nodiscard]] const Message& message() const noexcept { return message_; }

    [[nodiscard]] const Message& hint() const noexcept { return hint_; }

    [[nodiscard]] const std::string& item() const noexcept { return item_; }

    [[nodiscard]] int64_t bytesAsked() const noexcept { return bytesAsked_; }

    /// Bytes of the allocation that failed (OutOfMemory).
    Error& withBytesAsked(int64_t bytes) {
        bytesAsked_ = bytes;
        return *this;
    }

    [[nodiscard]] const char* what() const noexcept override { return message_.str().c_str(); }

private:
    ErrorKind kind_;
    Message message_;
    Message hint_;
    std::string item_;
    int64_t bytesAsked_ = 0;
};

/// Throws Error{InvalidInput} unless `holds`.
void requireThat(bool holds, const Message& message, const Message& hint, const char* item);

/// The issue code of a kind: "invalid_input", "file_not_found", "out_of_memory", ...
[[nodiscard]] std::string_view codeOf(ErrorKind kind) noexcept;

/// Throws Error{Internal} that names condition, file and line.
[[noreturn]] void assertionFailed(const char* condition, const char* file, int line);

}  // namespace lowtide

/// Guards what only a bug of ours can break. A failed one ends the run, not the host; where nothing
/// may be thrown (destructors, noexcept functions) it does not belong.
#define LOWTIDE_ASSERT(condition) \
    ((condition) ? void() : ::lowtide::assertionFailed(#condition, __FILE__, __LINE__))

namespace lowtide {

/// An Error whose issue has a code of its own, and facts that a host may act on.
class CodedError final : public Error {
public:
    /// `facts`: a JSON object.
    CodedError(Error error, std::string code, std::string facts)
        : Error(std::move(error)), code_(std::move(code)), facts_(std::move(facts)) {}

    [[nodiscard]] const std::string& code() const noexcept { return code_; }

    [[nodiscard]] const std::string& facts() const noexcept { return facts_; }

private:
    std::string code_;
    std::string facts_;
};

/// Code of an image whose sides a model does not take; its facts are `width`, `height`, the
/// `multiple` that both must be of, and `insert`: the type of a node that brings it there.
inline constexpr const char* kImageSizeCode = "picture_size";

}  // namespace lowtide
