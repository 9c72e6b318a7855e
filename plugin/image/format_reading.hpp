#pragma once
// What each format has of its own; internal to the room.

#include "plugin/image/picture_header.hpp"

namespace lowtide::image {

/// What a file says, as it is stored.
struct StoredHeader {
    PictureSize size;
    std::string exif{};        ///< TIFF's bytes; empty: none
    std::string profile{};     ///< begin of an ICC profile; empty: none
    bool isAnimation = false;  ///< several pictures, and no format for one
};

/// Of a file that begins as its format does. Error{Corrupt} where no size can be had;
/// Error{Unsupported} for what is not read of the format.
[[nodiscard]] StoredHeader pngStored(const ByteSource& source, std::string_view name);
[[nodiscard]] StoredHeader jpegStored(const ByteSource& source, std::string_view name);
[[nodiscard]] StoredHeader webpStored(const ByteSource& source, std::string_view name);

/// As readPictureHeader(), of animations too.
[[nodiscard]] PictureHeader readAnyHeader(const ByteSource& source, std::string_view name);

/// Pixels as they are stored, of the size that the header says; errors as decodePicture.
[[nodiscard]] Image8 decodeJpeg(std::span<const std::byte> bytes,
                                std::string_view name,
                                const PictureSize& stored);
[[nodiscard]] Image8 decodeWebP(std::span<const std::byte> bytes,
                                std::string_view name,
                                const PictureSize& stored);

/// Error{Corrupt} unless both sides are 1 to 2^20 pixels and all are at most 2^28.
void checkPictureSize(const PictureSize& size, PictureFormat format, std::string_view name);
/// Throws Error{Corrupt} of a picture that cannot be read.
[[noreturn]] void refusePicture(PictureFormat format,
                                std::string_view name,
                                const std::string& problem);
/// Throws Error{Unsupported} of a JPEG picture of a kind that is not read: "in CMYK ...".
[[noreturn]] void refuseJpegKind(std::string_view name, const std::string& kind);
/// "640 x 480 pixels".
[[nodiscard]] std::string sizeText(const PictureSize& size);
/// Error{OutOfMemory} names the picture.
[[nodiscard]] std::shared_ptr<uint8_t[]> allocatePixels(std::string_view name, size_t bytes);

/// How much of a colour profile is looked at for its name.
inline constexpr uint64_t kProfileBytes = 64u << 10;
/// Segments or chunks of a file that are looked at before its pixels.
inline constexpr int kMostSections = 1 << 17;
/// Bytes of EXIF that are read: what writeExif gives at most. More count as none.
inline constexpr uint64_t kMostExifBytes = (32u << 20) + 4096;

}  // namespace lowtide::image
