#pragma once
// What an image file states about itself, without its pixels: format, size, orientation, colour
// profile, texts; bytes of a file, wherever they are.

#include "plugin/image/image_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
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

struct ImageSize {
    int64_t widthPixels = 0;
    int64_t heightPixels = 0;
};

/// What an image file states before its pixels.
struct ImageHeader {
    ImageFormat format = ImageFormat::Png;
    ImageSize size;                ///< as the image is shown: after `orientation`
    int orientation = 1;           ///< of EXIF, 1 to 8; 1: as stored
    std::string profile{};         ///< name of an ICC profile other than sRGB's; empty: none
    std::vector<ImageText> texts;  ///< of EXIF (exif.hpp)
};

/// Reads some hundred bytes, and EXIF and the begin of a colour profile where the file has them;
/// no pixels. EXIF and profiles that are damaged count as none. Errors as decodeImage.
[[nodiscard]] ImageHeader readImageHeader(const ByteSource& source, std::string_view name);

/// "PNG", "JPEG", "WebP".
[[nodiscard]] const char* nameOf(ImageFormat format);

/// The image as it is to be seen: stored that way by EXIF's numbers 1 to 8 (1: as it is).
/// Source: CIPA DC-008 4.6.5, tag Orientation.
[[nodiscard]] Image8 oriented(const Image8& image, int orientation);
[[nodiscard]] Image16 oriented(const Image16& image, int orientation);
[[nodiscard]] ImageSize oriented(const ImageSize& size, int orientation);

/// The name in an ICC profile of which the begin is given, in UTF-8, at most 80 characters of
/// ASCII; "unnamed" where it has none that can be read. Source: ICC.1:2022 9.2.41 and 10.15; the
/// form of version 2 in ICC.1:2001-04 6.5.17.
[[nodiscard]] std::string iccName(std::string_view profile);

/// Whether a profile of that name is sRGB's.
[[nodiscard]] bool isSrgbName(std::string_view name);

/// The texts of an image file, as decodeImage gives them, without reading its pixels. Errors as
/// decodeImage, but for the pixels.
[[nodiscard]] std::vector<ImageText> readImageTexts(const ByteSource& source,
                                                    std::string_view name);

}  // namespace lowtide::image
