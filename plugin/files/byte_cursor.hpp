#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::files {

/// Walks over bytes from outside, front to back, never past their end.
class ByteCursor {
public:
    /// `subject` begins the messages: "\"model.ckpt\", data.pkl".
    ByteCursor(std::span<const std::byte> bytes, std::string subject);

    /// A little-endian number of 1 to 8 bytes. Error{Corrupt} where the bytes end, here and below.
    [[nodiscard]] uint64_t number(int byteCount);
    /// The same, with a sign.
    [[nodiscard]] int64_t signedNumber(int byteCount);
    [[nodiscard]] std::string_view text(uint64_t byteCount);
    /// The text up to the next line feed, which is passed over.
    [[nodiscard]] std::string_view line();

    void skip(uint64_t byteCount) { (void)text(byteCount); }

    [[nodiscard]] size_t position() const { return position_; }

    [[nodiscard]] bool isAtEnd() const { return position_ == bytes_.size(); }

private:
    std::span<const std::byte> bytes_;
    size_t position_ = 0;
    std::string subject_;
};

/// Error{Corrupt} of bytes that end too early: at `size`, where `wanted` more are to follow
/// `position`.
[[noreturn]] void refuseEnd(const std::string& subject,
                            uint64_t size,
                            uint64_t wanted,
                            uint64_t position);

}  // namespace lowtide::files
