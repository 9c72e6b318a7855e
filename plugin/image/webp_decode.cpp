#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/image/format_reading.hpp"

#include <webp/decode.h>

namespace lowtide::image {

namespace {

/// Pictures of one colour take a few bytes whatever their size. Up to this many pixels they are
/// believed, beyond that a byte stands for so many.
constexpr uint64_t kBelievedPixels = 1u << 25;
constexpr uint64_t kMostWebPPixelsPerByte = 4096;

const char* problemOf(VP8StatusCode status) {
    switch (status) {
        case VP8_STATUS_NOT_ENOUGH_DATA:
            return "the file ends early";
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            return "it uses what libwebp does not know";
        default:
            return "its data are damaged";
    }
}

[[noreturn]] void refuseStatus(VP8StatusCode status, std::string_view name) {
    if (status == VP8_STATUS_OUT_OF_MEMORY) {
        throw Error(ErrorKind::OutOfMemory, "there is no memory to decode " + quotedName(name));
    }
    refusePicture(PictureFormat::WebP, name, problemOf(status));
}

void checkWebPHolds(const PictureSize& size, std::string_view name, size_t fileBytes) {
    const auto pixels = static_cast<uint64_t>(size.widthPixels * size.heightPixels);
    if (pixels > kBelievedPixels && pixels > kMostWebPPixelsPerByte * fileBytes) {
        refusePicture(PictureFormat::WebP,
                      name,
                      "it claims " + sizeText(size) + ", which " + std::to_string(fileBytes) +
                          " bytes can hardly hold");
    }
}

}  // namespace

Image8 decodeWebP(std::span<const std::byte> bytes,
                  std::string_view name,
                  const PictureSize& stored) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0) {
        throw Error(ErrorKind::Internal, "WebP pictures cannot be read: libwebp does not start");
    }
    const VP8StatusCode seen = WebPGetFeatures(data, bytes.size(), &config.input);
    if (seen != VP8_STATUS_OK) {
        refuseStatus(seen, name);
    }
    if (config.input.width != stored.widthPixels || config.input.height != stored.heightPixels) {
        refusePicture(PictureFormat::WebP, name, "it states two sizes");
    }
    checkWebPHolds(stored, name, bytes.size());
    Image8 picture{.widthPixels = config.input.width,
                   .heightPixels = config.input.height,
                   .channels = config.input.has_alpha != 0 ? 4 : 3};
    const auto pixels = allocatePixels(name, picture.byteCount());
    config.output.colorspace = picture.channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels.get();
    config.output.u.RGBA.stride = picture.widthPixels * picture.channels;
    config.output.u.RGBA.size = picture.byteCount();
    const VP8StatusCode status = WebPDecode(data, bytes.size(), &config);
    WebPFreeDecBuffer(&config.output);
    if (status != VP8_STATUS_OK) {
        refuseStatus(status, name);
    }
    picture.pixels = pixels;
    return picture;
}

}  // namespace lowtide::image
