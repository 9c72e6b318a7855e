#pragma once
// What each format has of its own, and the common limits of readers and writers, so that what is
// written can be read; internal to the library.

#include "plugin/base/message.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/image_file.hpp"
#include "plugin/image/image_header.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lowtide::image {

/// What a file states, as it is stored.
struct StoredHeader {
    ImageSize size;
    std::string exif{};        ///< TIFF's bytes; empty: none
    std::string profile{};     ///< begin of an ICC profile; empty: none
    bool isAnimation = false;  ///< several images, and no format for one
};

/// Of a file that begins as its format does. Error{Corrupt} where no size can be had;
/// Error{Unsupported} for what is not read of the format.
[[nodiscard]] StoredHeader pngStored(const ByteSource& source, std::string_view name);
[[nodiscard]] StoredHeader jpegStored(const ByteSource& source, std::string_view name);
[[nodiscard]] StoredHeader webpStored(const ByteSource& source, std::string_view name);

/// As readImageHeader(), of animations too.
[[nodiscard]] ImageHeader readAnyHeader(const ByteSource& source, std::string_view name);

/// Pixels as they are stored, of the size that the header states; errors as decodeImage.
[[nodiscard]] Image8 decodeJpeg(std::span<const std::byte> bytes,
                                std::string_view name,
                                const ImageSize& stored);
[[nodiscard]] Image8 decodeWebP(std::span<const std::byte> bytes,
                                std::string_view name,
                                const ImageSize& stored);

/// Error{Corrupt} unless both sides are 1 to 2^20 pixels and all are at most 2^28.
void checkImageSize(const ImageSize& size, ImageFormat format, std::string_view name);
/// Throws Error{Corrupt} of an image that cannot be read.
[[noreturn]] void refuseImage(ImageFormat format, std::string_view name, const Message& problem);
/// Throws Error{Unsupported} of a JPEG image of a kind that is not read: "in CMYK ...".
[[noreturn]] void refuseJpegKind(std::string_view name, const Message& kind);

/// Why a library in C gave up. It leaves by longjmp, so nothing in here has a destructor.
struct LibraryProblem {
    char words[200] = {};          ///< of the library
    std::optional<Phrase> ours{};  ///< what we found, in place of them

    [[nodiscard]] Message reported() const { return ours ? Message(*ours) : Message(words); }
};

/// "640 x 480 pixels".
[[nodiscard]] Message sizeText(const ImageSize& size);
/// Error{OutOfMemory} names the image.
[[nodiscard]] std::shared_ptr<uint8_t[]> allocatePixels(std::string_view name, size_t bytes);

/// How much of a colour profile is looked at for its name.
inline constexpr uint64_t kProfileBytes = 64u << 10;
/// Segments or chunks of a file that are looked at before its pixels.
inline constexpr int kMostSections = 1 << 17;
/// Bytes of EXIF that are read: what writeExif gives at most. More count as none.
inline constexpr uint64_t kMostExifBytes = (32u << 20) + 4096;

/// Images that were checked; `exif` are the bytes of a TIFF file, or empty.
[[nodiscard]] std::string encodeJpeg(const Image8& image,
                                     const std::string& exif,
                                     int quality,
                                     const StopToken& stop);
[[nodiscard]] std::string encodeWebP(const Image8& image,
                                     const std::string& exif,
                                     const ImageEncoding& encoding,
                                     const StopToken& stop);

inline constexpr int64_t kMostAnimationFrames = 1 << 16;

/// How often each of some images is shown, in frames of one length, and how many those are in a
/// second. `seconds` of each image; `precision`: to which they are stated.
struct FrameTimes {
    std::vector<int64_t> shown;
    int64_t frames = 0;
    double rate = 0;
};

[[nodiscard]] FrameTimes frameTimes(const std::vector<double>& seconds, double precision);

/// An image with 4 channels over black, with 3; one with 1 or 3 as it is, in 3.
[[nodiscard]] Image8 overBlack(const Image8& image, std::string_view name);

[[nodiscard]] std::unique_ptr<AnimationReader> openPngAnimation(std::span<const std::byte> bytes,
                                                                std::string_view name);
[[nodiscard]] std::unique_ptr<AnimationReader> openWebPAnimation(std::span<const std::byte> bytes,
                                                                 std::string_view name);

inline constexpr uint32_t kMaxSidePixels = 1u << 20;
inline constexpr uint64_t kMaxPixels = 1u << 28;
/// Keys and texts of all text chunks of a file together, unpacked.
inline constexpr size_t kMaxTextBytes = 32u << 20;
inline constexpr uint32_t kMaxTextChunks = 1000;
inline constexpr size_t kMaxKeyBytes = 79;

}  // namespace lowtide::image
