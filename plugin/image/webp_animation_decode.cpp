#include "plugin/base/error.hpp"
#include "plugin/image/animation_reading.hpp"
#include "plugin/image/format_reading.hpp"

#include <string>
#include <utility>
#include <webp/demux.h>

namespace lowtide::image {

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
            refusePicture(PictureFormat::WebP, name_, "its data are damaged");
        }
    }

    [[nodiscard]] const AnimationHeader& header() const override { return header_; }

    [[nodiscard]] std::optional<Image8> next(const StopToken& stop) override {
        stop.throwIfStopped();
        while (picture_ < times_.shown.size() && left_ == 0) {
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
            refusePicture(PictureFormat::WebP, name_, "its data are damaged");
        }
        header_.size = {.widthPixels = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH),
                        .heightPixels = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT)};
        checkPictureSize(header_.size, PictureFormat::WebP, name_);
        if (WebPDemuxGetI(demuxer.get(), WEBP_FF_FRAME_COUNT) > kMostAnimationFrames) {
            refusePicture(PictureFormat::WebP, name_, "it has too many frames");
        }
        std::vector<double> seconds;
        WebPIterator frame{};
        for (bool isThere = WebPDemuxGetFrame(demuxer.get(), 1, &frame) != 0; isThere;
             isThere = WebPDemuxNextFrame(&frame) != 0) {
            seconds.push_back(frame.duration * kMillisecond);
        }
        WebPDemuxReleaseIterator(&frame);
        if (seconds.empty()) {
            refusePicture(PictureFormat::WebP, name_, "it has no frames");
        }
        times_ = frameTimes(seconds, kMillisecond);
        if (times_.frames > kMostAnimationFrames) {
            refusePicture(PictureFormat::WebP, name_, "it has too many frames");
        }
        header_.frames = times_.frames;
        header_.rate = times_.rate;
    }

    void decodeNext() {
        uint8_t* canvas = nullptr;
        int time = 0;
        if (WebPAnimDecoderGetNext(decoder_.get(), &canvas, &time) == 0) {
            refusePicture(PictureFormat::WebP,
                          name_,
                          "frame " + std::to_string(picture_ + 1) + " is damaged");
        }
        const Image8 picture{.widthPixels = static_cast<int>(header_.size.widthPixels),
                             .heightPixels = static_cast<int>(header_.size.heightPixels),
                             .channels = 4,
                             .pixels = {canvas, [](const uint8_t*) {}}};
        shown_ = overBlack(picture, name_);
        left_ = times_.shown[picture_++];
    }

    std::string name_;
    WebPData data_;
    AnimationHeader header_;
    FrameTimes times_;
    std::unique_ptr<WebPAnimDecoder, FreeDecoder> decoder_;
    size_t picture_ = 0;  ///< that is decoded next
    int64_t left_ = 0;    ///< how often the last one is shown still
    Image8 shown_;
};

}  // namespace

std::unique_ptr<AnimationReader> openWebPAnimation(std::span<const std::byte> bytes,
                                                   std::string_view name) {
    return std::make_unique<WebPAnimationReader>(bytes, name);
}

}  // namespace lowtide::image
