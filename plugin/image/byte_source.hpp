#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::image {

/// The bytes of a file, wherever they are.
struct ByteSource {
    uint64_t size = 0;
    /// Fills `target` with the bytes from `offset` on; called inside of `size` only.
    std::function<void(std::span<std::byte> target, uint64_t offset)> read;
};

/// Of bytes in memory, which must outlive it.
[[nodiscard]] inline ByteSource sourceOf(std::span<const std::byte> bytes) {
    return {.size = bytes.size(), .read = [bytes](std::span<std::byte> target, uint64_t offset) {
                std::memcpy(target.data(), bytes.data() + offset, target.size());
            }};
}

/// Looks at single bytes of a source, which is read in pieces of 4 KiB.
class ByteWindow {
public:
    explicit ByteWindow(const ByteSource& source) : source_(source) {}

    [[nodiscard]] uint64_t size() const { return source_.size; }

    [[nodiscard]] bool has(uint64_t at, uint64_t count) const {
        return at <= source_.size && count <= source_.size - at;
    }

    /// has(at, 1).
    [[nodiscard]] uint8_t byteAt(uint64_t at) {
        if (at < begin_ || at - begin_ >= piece_.size()) {
            begin_ = at;
            piece_.resize(static_cast<size_t>(std::min<uint64_t>(kPiece, source_.size - at)));
            source_.read(piece_, at);
        }
        return std::to_integer<uint8_t>(piece_[static_cast<size_t>(at - begin_)]);
    }

    /// has(at, count) and count <= 8; the first byte is the highest.
    [[nodiscard]] uint64_t bigEndian(uint64_t at, int count) {
        uint64_t number = 0;
        for (int i = 0; i < count; ++i) {
            number = number << 8 | byteAt(at + static_cast<uint64_t>(i));
        }
        return number;
    }

    /// The same, and the first byte is the lowest.
    [[nodiscard]] uint64_t littleEndian(uint64_t at, int count) {
        uint64_t number = 0;
        for (int i = count; i-- > 0;) {
            number = number << 8 | byteAt(at + static_cast<uint64_t>(i));
        }
        return number;
    }

    /// has(at, count).
    [[nodiscard]] std::string text(uint64_t at, uint64_t count) const {
        std::string bytes(static_cast<size_t>(count), '\0');
        if (count > 0) {
            source_.read(std::as_writable_bytes(std::span(bytes)), at);
        }
        return bytes;
    }

private:
    static constexpr uint64_t kPiece = 4096;

    const ByteSource& source_;
    std::vector<std::byte> piece_{};
    uint64_t begin_ = 0;
};

}  // namespace lowtide::image
