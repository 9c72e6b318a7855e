#include "plugin/base/error.hpp"
#include "plugin/image/animation_encode.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/webp_source.hpp"

#include <cmath>
#include <webp/mux.h>

namespace lowtide::image {

namespace {

struct FreeEncoder {
    void operator()(WebPAnimEncoder* encoder) const noexcept { WebPAnimEncoderDelete(encoder); }
};

struct FreeMux {
    void operator()(WebPMux* mux) const noexcept { WebPMuxDelete(mux); }
};

/// Bytes that the library has allocated.
class WebPBytes {
public:
    WebPBytes() { WebPDataInit(&data_); }

    ~WebPBytes() { WebPDataClear(&data_); }

    WebPBytes(const WebPBytes&) = delete;
    WebPBytes& operator=(const WebPBytes&) = delete;

    [[nodiscard]] WebPData* get() { return &data_; }

    [[nodiscard]] std::string text() const {
        return {reinterpret_cast<const char*>(data_.bytes), data_.size};
    }

private:
    WebPData data_{};
};

[[noreturn]] void refuseAssembly() {
    throw Error(ErrorKind::OutOfMemory, "there is no memory to put the animated WebP together");
}

}  // namespace

struct WebPAnimation::State {
    PictureSize size;
    double rate;
    PictureEncoding encoding;
    WebPConfig config;
    std::unique_ptr<WebPAnimEncoder, FreeEncoder> encoder{};
    int64_t frames = 0;

    /// When the next frame begins.
    [[nodiscard]] int milliseconds() const {
        constexpr double kSecond = 1000;
        return static_cast<int>(std::lround(static_cast<double>(frames) * kSecond / rate));
    }
};

WebPAnimation::WebPAnimation(PictureSize size, double rate, const PictureEncoding& encoding)
    : state_(new State{
          .size = size, .rate = rate, .encoding = encoding, .config = webpConfig(encoding)}) {
    checkRate(rate);
    WebPAnimEncoderOptions options;
    if (WebPAnimEncoderOptionsInit(&options) != 0) {
        state_->encoder.reset(WebPAnimEncoderNew(
            static_cast<int>(size.widthPixels), static_cast<int>(size.heightPixels), &options));
    }
    if (!state_->encoder) {
        throw Error(ErrorKind::Internal,
                    "animated WebP cannot be written: libwebpmux does not start");
    }
}

WebPAnimation::~WebPAnimation() = default;

void WebPAnimation::add(const Image8& picture, const StopToken& stop) {
    LOWTIDE_ASSERT(picture.widthPixels == state_->size.widthPixels &&
                   picture.heightPixels == state_->size.heightPixels);
    WebPSource source(picture, /*isArgb=*/true, stop);
    if (WebPAnimEncoderAdd(
            state_->encoder.get(), source.get(), state_->milliseconds(), &state_->config) == 0) {
        source.refuse();
    }
    ++state_->frames;
}

std::string WebPAnimation::finish(const std::vector<PictureText>& texts) {
    WebPBytes whole;
    if (WebPAnimEncoderAdd(state_->encoder.get(), nullptr, state_->milliseconds(), nullptr) == 0 ||
        WebPAnimEncoderAssemble(state_->encoder.get(), whole.get()) == 0) {
        refuseAssembly();
    }
    if (texts.empty()) {
        return whole.text();
    }
    const std::string exif = writeExif(texts);
    const WebPData chunk{.bytes = reinterpret_cast<const uint8_t*>(exif.data()),
                         .size = exif.size()};
    const std::unique_ptr<WebPMux, FreeMux> mux(WebPMuxCreate(whole.get(), /*copy_data=*/0));
    WebPBytes result;
    if (!mux || WebPMuxSetChunk(mux.get(), "EXIF", &chunk, /*copy_data=*/0) != WEBP_MUX_OK ||
        WebPMuxAssemble(mux.get(), result.get()) != WEBP_MUX_OK) {
        refuseAssembly();
    }
    return result.text();
}

}  // namespace lowtide::image
