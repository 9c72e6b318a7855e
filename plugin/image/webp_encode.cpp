#include "plugin/base/error.hpp"
#include "plugin/image/format_writing.hpp"

#include <exception>
#include <memory>
#include <webp/encode.h>

namespace lowtide::image {

namespace {

/// Effort from 0 to 6 (9 of lossless): the libraries' own.
constexpr int kMethod = 4;
constexpr int kLosslessLevel = 6;
constexpr uint8_t kExifFlag = 0x08;
constexpr uint8_t kAlphaFlag = 0x10;
constexpr size_t kRiffHeader = 12;

struct FreeWebPPicture {
    void operator()(WebPPicture* picture) const noexcept { WebPPictureFree(picture); }
};

int appendWebP(const uint8_t* data, size_t size, const WebPPicture* picture) {
    try {
        static_cast<std::string*>(picture->custom_ptr)
            ->append(reinterpret_cast<const char*>(data), size);
        return 1;
    } catch (const std::exception&) {
        return 0;
    }
}

/// libwebp asks now and then; 0 ends the encoding.
int goOnWebP(int, const WebPPicture* picture) {
    const auto* stop = static_cast<const StopToken*>(picture->user_data);
    return stop->mode() == CancelMode::Now ? 0 : 1;
}

[[noreturn]] void refuseEncoding(const WebPPicture& picture) {
    const bool isMemory = picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                          picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
                          picture.error_code == VP8_ENC_ERROR_BAD_WRITE;
    throw Error(isMemory ? ErrorKind::OutOfMemory : ErrorKind::Internal,
                "the picture could not be encoded as WebP (libwebp's code " +
                    std::to_string(picture.error_code) + ")");
}

WebPConfig configFor(const PictureEncoding& encoding) {
    WebPConfig config;
    bool isSet = WebPConfigInit(&config) != 0;
    if (encoding.isLossless) {
        isSet = isSet && WebPConfigLosslessPreset(&config, kLosslessLevel) != 0;
        config.exact = 1;  // what is transparent keeps its colour
    } else {
        config.quality = static_cast<float>(encoding.quality);
        config.method = kMethod;
    }
    if (!isSet || WebPValidateConfig(&config) == 0) {
        throw Error(ErrorKind::Internal, "WebP pictures cannot be written: libwebp does not start");
    }
    return config;
}

/// Grey becomes colour.
bool importPixels(WebPPicture& target, const Image8& picture) {
    const int stride = picture.widthPixels * picture.channels;
    if (picture.channels == 4) {
        return WebPPictureImportRGBA(&target, picture.pixels.get(), stride) != 0;
    }
    if (picture.channels == 3) {
        return WebPPictureImportRGB(&target, picture.pixels.get(), stride) != 0;
    }
    const size_t count = picture.byteCount();
    const auto colours = std::make_unique_for_overwrite<uint8_t[]>(3 * count);
    for (size_t i = 0; i < 3 * count; ++i) {
        colours[i] = picture.pixels[i / 3];
    }
    return WebPPictureImportRGB(&target, colours.get(), 3 * stride) != 0;
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
    const WebPConfig config = configFor(encoding);
    std::string bytes;
    WebPPicture target;
    if (WebPPictureInit(&target) == 0) {
        throw Error(ErrorKind::Internal, "WebP pictures cannot be written: libwebp does not start");
    }
    const std::unique_ptr<WebPPicture, FreeWebPPicture> held(&target);
    target.use_argb = encoding.isLossless ? 1 : 0;
    target.width = picture.widthPixels;
    target.height = picture.heightPixels;
    target.writer = appendWebP;
    target.custom_ptr = &bytes;
    target.progress_hook = goOnWebP;
    target.user_data = const_cast<StopToken*>(&stop);  // only read
    if (!importPixels(target, picture) || WebPEncode(&config, &target) == 0) {
        stop.throwIfStopped();
        refuseEncoding(target);
    }
    return exif.empty() ? bytes : withExif(bytes, picture, exif);
}

}  // namespace lowtide::image
