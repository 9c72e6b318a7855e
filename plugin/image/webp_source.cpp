#include "plugin/image/webp_source.hpp"

#include "plugin/base/error.hpp"

#include <memory>

namespace lowtide::image {

namespace {

/// Effort from 0 to 6 (9 of lossless): the libraries' own.
constexpr int kMethod = 4;
constexpr int kLosslessLevel = 6;

/// libwebp asks now and then; 0 ends the encoding.
int goOnWebP(int, const WebPPicture* picture) {
    const auto* stop = static_cast<const StopToken*>(picture->user_data);
    return stop->mode() == CancelMode::Now ? 0 : 1;
}

}  // namespace

WebPConfig webpConfig(const PictureEncoding& encoding) {
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

WebPSource::WebPSource(const Image8& picture, bool isArgb, const StopToken& stop) : stop_(stop) {
    if (WebPPictureInit(&picture_) == 0) {
        throw Error(ErrorKind::Internal, "WebP pictures cannot be written: libwebp does not start");
    }
    picture_.use_argb = isArgb ? 1 : 0;
    picture_.width = picture.widthPixels;
    picture_.height = picture.heightPixels;
    picture_.progress_hook = goOnWebP;
    picture_.user_data = &stop_;  // only read
    if (!import(picture)) {
        WebPPictureFree(&picture_);
        refuse();
    }
}

WebPSource::~WebPSource() {
    WebPPictureFree(&picture_);
}

bool WebPSource::import(const Image8& picture) {
    const int stride = picture.widthPixels * picture.channels;
    if (picture.channels == 4) {
        return WebPPictureImportRGBA(&picture_, picture.pixels.get(), stride) != 0;
    }
    if (picture.channels == 3) {
        return WebPPictureImportRGB(&picture_, picture.pixels.get(), stride) != 0;
    }
    const size_t count = picture.byteCount();
    const auto colours = std::make_unique_for_overwrite<uint8_t[]>(3 * count);
    for (size_t i = 0; i < 3 * count; ++i) {
        colours[i] = picture.pixels[i / 3];
    }
    return WebPPictureImportRGB(&picture_, colours.get(), 3 * stride) != 0;
}

void WebPSource::refuse() const {
    stop_.throwIfStopped();
    const bool isMemory = picture_.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                          picture_.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
                          picture_.error_code == VP8_ENC_ERROR_BAD_WRITE;
    throw Error(isMemory ? ErrorKind::OutOfMemory : ErrorKind::Internal,
                "the picture could not be encoded as WebP (libwebp's code " +
                    std::to_string(picture_.error_code) + ")");
}

}  // namespace lowtide::image
