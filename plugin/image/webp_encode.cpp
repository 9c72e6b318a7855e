#include "plugin/image/format_writing.hpp"
#include "plugin/image/webp_source.hpp"

#include <exception>

namespace lowtide::image {

namespace {

constexpr uint8_t kExifFlag = 0x08;
constexpr uint8_t kAlphaFlag = 0x10;
constexpr size_t kRiffHeader = 12;

int appendWebP(const uint8_t* data, size_t size, const WebPPicture* picture) {
    try {
        static_cast<std::string*>(picture->custom_ptr)
            ->append(reinterpret_cast<const char*>(data), size);
        return 1;
    } catch (const std::exception&) {
        return 0;
    }
}

std::string littleEndianBytes(size_t number, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i, number >>= 8) {
        bytes += static_cast<char>(number & 0xFF);
    }
    return bytes;
}

/// What the extended form says of a file: whether it has an alpha channel.
char flagsOf(std::string_view file) {
    constexpr size_t kDataAt = 20;
    constexpr size_t kLosslessAlphaAt = 24;  ///< bit 4 of that byte
    const std::string_view type = file.substr(kRiffHeader, 4);
    const bool hasAlpha = (type == "VP8X" && (file[kDataAt] & kAlphaFlag) != 0) ||
                          (type == "VP8L" && (file[kLosslessAlphaAt] & 0x10) != 0);
    return static_cast<char>(hasAlpha ? kAlphaFlag : 0);
}

/// The simple file in the extended form (WebP Container Specification), with EXIF behind it.
std::string withExif(const std::string& simple, const Image8& picture, const std::string& exif) {
    std::string body = "WEBPVP8X" + littleEndianBytes(10, 4);
    body += static_cast<char>(kExifFlag | flagsOf(simple));
    body += std::string(3, '\0');
    body += littleEndianBytes(static_cast<size_t>(picture.widthPixels) - 1, 3);
    body += littleEndianBytes(static_cast<size_t>(picture.heightPixels) - 1, 3);
    // libwebp writes the extended form itself where lossy pixels have an alpha channel.
    const bool isExtended = simple.compare(kRiffHeader, 4, "VP8X") == 0;
    constexpr size_t kExtendedChunk = 18;
    body += simple.substr(kRiffHeader + (isExtended ? kExtendedChunk : 0));
    body += "EXIF" + littleEndianBytes(exif.size(), 4) + exif + std::string(exif.size() % 2, '\0');
    return "RIFF" + littleEndianBytes(body.size(), 4) + body;
}

}  // namespace

std::string encodeWebP(const Image8& picture,
                       const std::string& exif,
                       const PictureEncoding& encoding,
                       const StopToken& stop) {
    const WebPConfig config = webpConfig(encoding);
    std::string bytes;
    WebPSource source(picture, /*isArgb=*/encoding.isLossless, stop);
    source.get()->writer = appendWebP;
    source.get()->custom_ptr = &bytes;
    if (WebPEncode(&config, source.get()) == 0) {
        source.refuse();
    }
    return exif.empty() ? bytes : withExif(bytes, picture, exif);
}

}  // namespace lowtide::image
