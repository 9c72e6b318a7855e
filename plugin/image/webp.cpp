#include "plugin/image/webp.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/formats.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <webp/decode.h>

namespace lowtide::image {

namespace {

/// Effort from 0 to 6 (9 of lossless): the libraries' own.
constexpr int kMethod = 4;
constexpr int kLosslessLevel = 6;

/// libwebp asks now and then; 0 ends the encoding.
int goOnWebP(int, const WebPPicture* image) {
    const auto* stop = static_cast<const StopToken*>(image->user_data);
    return stop->mode() == CancelMode::Now ? 0 : 1;
}

}  // namespace

WebPConfig webpConfig(const ImageEncoding& encoding) {
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
        throw Error(ErrorKind::Internal,
                    message("WebP images cannot be written: libwebp does not start"));
    }
    return config;
}

WebPSource::WebPSource(const Image8& image, bool isArgb, const StopToken& stop) : stop_(stop) {
    if (WebPPictureInit(&image_) == 0) {
        throw Error(ErrorKind::Internal,
                    message("WebP images cannot be written: libwebp does not start"));
    }
    image_.use_argb = isArgb ? 1 : 0;
    image_.width = image.widthPixels;
    image_.height = image.heightPixels;
    image_.progress_hook = goOnWebP;
    image_.user_data = &stop_;  // only read
    if (!import(image)) {
        WebPPictureFree(&image_);
        refuse();
    }
}

WebPSource::~WebPSource() {
    WebPPictureFree(&image_);
}

bool WebPSource::import(const Image8& image) {
    const int stride = image.widthPixels * image.channels;
    if (image.channels == 4) {
        return WebPPictureImportRGBA(&image_, image.pixels.get(), stride) != 0;
    }
    if (image.channels == 3) {
        return WebPPictureImportRGB(&image_, image.pixels.get(), stride) != 0;
    }
    const size_t count = image.byteCount();
    const auto colours = std::make_unique_for_overwrite<uint8_t[]>(3 * count);
    for (size_t i = 0; i < 3 * count; ++i) {
        colours[i] = image.pixels[i / 3];
    }
    return WebPPictureImportRGB(&image_, colours.get(), 3 * stride) != 0;
}

void WebPSource::refuse() const {
    stop_.throwIfStopped();
    const bool isMemory = image_.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                          image_.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
                          image_.error_code == VP8_ENC_ERROR_BAD_WRITE;
    throw Error(isMemory ? ErrorKind::OutOfMemory : ErrorKind::Internal,
                message("the image could not be encoded as WebP (libwebp's code {})",
                        static_cast<int>(image_.error_code)));
}

namespace {

using namespace std::literals;

constexpr uint64_t kRiffBytes = 12;
constexpr uint64_t kChunkHeader = 8;
constexpr uint8_t kAnimationFlag = 0x02;
constexpr std::string_view kExifPrefix = "Exif\0\0"sv;  ///< that some programs take over from JPEG

/// Width and height of the image that a chunk holds or announces; empty: of another chunk.
ImageSize sizeInChunk(ByteWindow& bytes, std::string_view type, uint64_t at, uint64_t count) {
    if (type == "VP8X" && count >= 10) {
        return {.widthPixels = static_cast<int64_t>(bytes.littleEndian(at + 4, 3)) + 1,
                .heightPixels = static_cast<int64_t>(bytes.littleEndian(at + 7, 3)) + 1};
    }
    if (type == "VP8L" && count >= 5) {
        const auto sides = static_cast<int64_t>(bytes.littleEndian(at + 1, 4));
        return {.widthPixels = (sides & 0x3FFF) + 1, .heightPixels = (sides >> 14 & 0x3FFF) + 1};
    }
    if (type == "VP8 " && count >= 10) {
        return {.widthPixels = static_cast<int64_t>(bytes.littleEndian(at + 6, 2)) & 0x3FFF,
                .heightPixels = static_cast<int64_t>(bytes.littleEndian(at + 8, 2)) & 0x3FFF};
    }
    return {};
}

void addChunk(
    ByteWindow& bytes, std::string_view type, uint64_t at, uint64_t count, StoredHeader& header) {
    if (type == "EXIF" && header.exif.empty() && count <= kMostExifBytes) {
        header.exif = bytes.text(at, count);
        if (header.exif.starts_with(kExifPrefix)) {
            header.exif.erase(0, kExifPrefix.size());
        }
    } else if (type == "ICCP" && header.profile.empty()) {
        header.profile = bytes.text(at, std::min(count, kProfileBytes));
    } else if (header.size.widthPixels == 0) {
        header.size = sizeInChunk(bytes, type, at, count);
    }
}

}  // namespace

StoredHeader webpStored(const ByteSource& source, std::string_view name) {
    StoredHeader header;
    ByteWindow bytes(source);
    uint64_t at = kRiffBytes;
    for (int left = kMostSections; left > 0 && bytes.has(at, kChunkHeader); --left) {
        const std::string type = bytes.text(at, 4);
        const uint64_t count = bytes.littleEndian(at + 4, 4);
        at += kChunkHeader;
        if (!bytes.has(at, count)) {
            break;
        }
        if (type == "VP8X" && count > 0 && (bytes.byteAt(at) & kAnimationFlag) != 0) {
            header.isAnimation = true;
        }
        addChunk(bytes, type, at, count, header);
        at += count + count % 2;
    }
    if (header.size.widthPixels == 0) {
        refuseImage(ImageFormat::WebP, name, message("it ends before it states its size"));
    }
    checkImageSize(header.size, ImageFormat::WebP, name);
    return header;
}

namespace {

/// Images of one colour take a few bytes whatever their size. Up to this many pixels they are
/// believed, beyond that a byte stands for so many.
constexpr uint64_t kBelievedPixels = 1u << 25;
constexpr uint64_t kMostWebPPixelsPerByte = 4096;

Message problemOf(VP8StatusCode status) {
    switch (status) {
        case VP8_STATUS_NOT_ENOUGH_DATA:
            return message("the file ends early");
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            return message("it uses what libwebp does not know");
        default:
            return message("its data are damaged");
    }
}

[[noreturn]] void refuseStatus(VP8StatusCode status, std::string_view name) {
    if (status == VP8_STATUS_OUT_OF_MEMORY) {
        throw Error(ErrorKind::OutOfMemory,
                    message("there is no memory to decode {}", quotedName(name)));
    }
    refuseImage(ImageFormat::WebP, name, problemOf(status));
}

void checkWebPHolds(const ImageSize& size, std::string_view name, size_t fileBytes) {
    const auto pixels = static_cast<uint64_t>(size.widthPixels * size.heightPixels);
    if (pixels > kBelievedPixels && pixels > kMostWebPPixelsPerByte * fileBytes) {
        refuseImage(
            ImageFormat::WebP,
            name,
            message("it claims {}, which {} bytes can hardly hold", sizeText(size), fileBytes));
    }
}

}  // namespace

Image8 decodeWebP(std::span<const std::byte> bytes,
                  std::string_view name,
                  const ImageSize& stored) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0) {
        throw Error(ErrorKind::Internal,
                    message("WebP images cannot be read: libwebp does not start"));
    }
    const VP8StatusCode seen = WebPGetFeatures(data, bytes.size(), &config.input);
    if (seen != VP8_STATUS_OK) {
        refuseStatus(seen, name);
    }
    if (config.input.width != stored.widthPixels || config.input.height != stored.heightPixels) {
        refuseImage(ImageFormat::WebP, name, message("it states two sizes"));
    }
    checkWebPHolds(stored, name, bytes.size());
    Image8 image{.widthPixels = config.input.width,
                 .heightPixels = config.input.height,
                 .channels = config.input.has_alpha != 0 ? 4 : 3};
    const auto pixels = allocatePixels(name, image.byteCount());
    config.output.colorspace = image.channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels.get();
    config.output.u.RGBA.stride = image.widthPixels * image.channels;
    config.output.u.RGBA.size = image.byteCount();
    const VP8StatusCode status = WebPDecode(data, bytes.size(), &config);
    WebPFreeDecBuffer(&config.output);
    if (status != VP8_STATUS_OK) {
        refuseStatus(status, name);
    }
    image.pixels = pixels;
    return image;
}

namespace {

constexpr uint8_t kExifFlag = 0x08;
constexpr uint8_t kAlphaFlag = 0x10;
constexpr size_t kRiffHeader = 12;

int appendWebP(const uint8_t* data, size_t size, const WebPPicture* image) {
    try {
        static_cast<std::string*>(image->custom_ptr)
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

/// What the extended form states about a file: whether it has an alpha channel.
char flagsOf(std::string_view file) {
    constexpr size_t kDataAt = 20;
    constexpr size_t kLosslessAlphaAt = 24;  ///< bit 4 of that byte
    const std::string_view type = file.substr(kRiffHeader, 4);
    const bool hasAlpha = (type == "VP8X" && (file[kDataAt] & kAlphaFlag) != 0) ||
                          (type == "VP8L" && (file[kLosslessAlphaAt] & 0x10) != 0);
    return static_cast<char>(hasAlpha ? kAlphaFlag : 0);
}

/// The simple file in the extended form (WebP Container Specification), with EXIF behind it.
std::string withExif(const std::string& simple, const Image8& image, const std::string& exif) {
    std::string body = "WEBPVP8X" + littleEndianBytes(10, 4);
    body += static_cast<char>(kExifFlag | flagsOf(simple));
    body += std::string(3, '\0');
    body += littleEndianBytes(static_cast<size_t>(image.widthPixels) - 1, 3);
    body += littleEndianBytes(static_cast<size_t>(image.heightPixels) - 1, 3);
    // libwebp writes the extended form itself where lossy pixels have an alpha channel.
    const bool isExtended = simple.compare(kRiffHeader, 4, "VP8X") == 0;
    constexpr size_t kExtendedChunk = 18;
    body += simple.substr(kRiffHeader + (isExtended ? kExtendedChunk : 0));
    body += "EXIF" + littleEndianBytes(exif.size(), 4) + exif + std::string(exif.size() % 2, '\0');
    return "RIFF" + littleEndianBytes(body.size(), 4) + body;
}

}  // namespace

std::string encodeWebP(const Image8& image,
                       const std::string& exif,
                       const ImageEncoding& encoding,
                       const StopToken& stop) {
    const WebPConfig config = webpConfig(encoding);
    std::string bytes;
    WebPSource source(image, /*isArgb=*/encoding.isLossless, stop);
    source.get()->writer = appendWebP;
    source.get()->custom_ptr = &bytes;
    if (WebPEncode(&config, source.get()) == 0) {
        source.refuse();
    }
    return exif.empty() ? bytes : withExif(bytes, image, exif);
}

}  // namespace lowtide::image
