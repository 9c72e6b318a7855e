// Animated WebP, written and read.

#include "plugin/base/error.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/exif.hpp"
#include "plugin/image/formats.hpp"
#include "plugin/image/webp.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <webp/demux.h>
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
    throw Error(ErrorKind::OutOfMemory,
                message("there is no memory to put the animated WebP together"));
}

}  // namespace

struct WebPAnimation::State {
    ImageSize size;
    double rate;
    ImageEncoding encoding;
    WebPConfig config;
    std::unique_ptr<WebPAnimEncoder, FreeEncoder> encoder{};
    int64_t frames = 0;

    /// When the next frame begins.
    [[nodiscard]] int milliseconds() const {
        constexpr double kSecond = 1000;
        return static_cast<int>(std::lround(static_cast<double>(frames) * kSecond / rate));
    }
};

WebPAnimation::WebPAnimation(ImageSize size, double rate, const ImageEncoding& encoding)
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
                    message("animated WebP cannot be written: libwebpmux does not start"));
    }
}

WebPAnimation::~WebPAnimation() = default;

void WebPAnimation::add(const Image8& image, const StopToken& stop) {
    LOWTIDE_ASSERT(image.widthPixels == state_->size.widthPixels &&
                   image.heightPixels == state_->size.heightPixels);
    WebPSource source(image, /*isArgb=*/true, stop);
    if (WebPAnimEncoderAdd(
            state_->encoder.get(), source.get(), state_->milliseconds(), &state_->config) == 0) {
        source.refuse();
    }
    ++state_->frames;
}

std::string WebPAnimation::finish(const std::vector<ImageText>& texts) {
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

namespace {

constexpr double kMillisecond = 1e-3;

struct FreeDecoder {
    void operator()(WebPAnimDecoder* decoder) const noexcept { WebPAnimDecoderDelete(decoder); }
};

struct FreeDemuxer {
    void operator()(WebPDemuxer* demuxer) const noexcept { WebPDemuxDelete(demuxer); }
};

class WebPAnimationReader final : public AnimationReader {
public:
    WebPAnimationReader(std::span<const std::byte> bytes, std::string_view name)
        : name_(name),
          data_{.bytes = reinterpret_cast<const uint8_t*>(bytes.data()), .size = bytes.size()} {
        readHeader();
        WebPAnimDecoderOptions options;
        if (WebPAnimDecoderOptionsInit(&options) != 0) {
            decoder_.reset(WebPAnimDecoderNew(&data_, &options));
        }
        if (!decoder_) {
            refuseImage(ImageFormat::WebP, name_, message("its data are damaged"));
        }
    }

    [[nodiscard]] const AnimationHeader& header() const override { return header_; }

    [[nodiscard]] std::optional<Image8> next(const StopToken& stop) override {
        stop.throwIfStopped();
        while (image_ < times_.shown.size() && left_ == 0) {
            decodeNext();
        }
        if (left_ == 0) {
            return std::nullopt;
        }
        --left_;
        return shown_;
    }

private:
    void readHeader() {
        const std::unique_ptr<WebPDemuxer, FreeDemuxer> demuxer(WebPDemux(&data_));
        if (!demuxer) {
            refuseImage(ImageFormat::WebP, name_, message("its data are damaged"));
        }
        header_.size = {.widthPixels = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH),
                        .heightPixels = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT)};
        checkImageSize(header_.size, ImageFormat::WebP, name_);
        if (WebPDemuxGetI(demuxer.get(), WEBP_FF_FRAME_COUNT) > kMostAnimationFrames) {
            refuseImage(ImageFormat::WebP, name_, message("it has too many frames"));
        }
        std::vector<double> seconds;
        WebPIterator frame{};
        for (bool isThere = WebPDemuxGetFrame(demuxer.get(), 1, &frame) != 0; isThere;
             isThere = WebPDemuxNextFrame(&frame) != 0) {
            seconds.push_back(frame.duration * kMillisecond);
        }
        WebPDemuxReleaseIterator(&frame);
        if (seconds.empty()) {
            refuseImage(ImageFormat::WebP, name_, message("it has no frames"));
        }
        times_ = frameTimes(seconds, kMillisecond);
        if (times_.frames > kMostAnimationFrames) {
            refuseImage(ImageFormat::WebP, name_, message("it has too many frames"));
        }
        header_.frames = times_.frames;
        header_.rate = times_.rate;
    }

    void decodeNext() {
        uint8_t* canvas = nullptr;
        int time = 0;
        if (WebPAnimDecoderGetNext(decoder_.get(), &canvas, &time) == 0) {
            refuseImage(ImageFormat::WebP, name_, message("frame {} is damaged", image_ + 1));
        }
        const Image8 image{.widthPixels = static_cast<int>(header_.size.widthPixels),
                           .heightPixels = static_cast<int>(header_.size.heightPixels),
                           .channels = 4,
                           .pixels = {canvas, [](const uint8_t*) {}}};
        shown_ = overBlack(image, name_);
        left_ = times_.shown[image_++];
    }

    std::string name_;
    WebPData data_;
    AnimationHeader header_;
    FrameTimes times_;
    std::unique_ptr<WebPAnimDecoder, FreeDecoder> decoder_;
    size_t image_ = 0;  ///< that is decoded next
    int64_t left_ = 0;  ///< how often the last one is shown still
    Image8 shown_;
};

}  // namespace

std::unique_ptr<AnimationReader> openWebPAnimation(std::span<const std::byte> bytes,
                                                   std::string_view name) {
    return std::make_unique<WebPAnimationReader>(bytes, name);
}

}  // namespace lowtide::image
