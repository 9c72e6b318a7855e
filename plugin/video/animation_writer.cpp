#include "plugin/files/output_file.hpp"
#include "plugin/image/animation_encode.hpp"
#include "plugin/image/png.hpp"
#include "plugin/video/format_writing.hpp"

#include <chrono>
#include <deque>
#include <future>
#include <utility>

namespace lowtide::video {

namespace {

/// Pictures that are encoded at a time: the one that is written next, and those behind it.
constexpr size_t kEncodedAtOnce = 4;
constexpr auto kStopPoll = std::chrono::milliseconds(10);

class PngVideo final : public VideoWriter {
public:
    PngVideo(files::OutputFile& file, const VideoEncoding& encoding, Texts texts)
        : file_(file), animation_(encoding.frames, encoding.rate), texts_(std::move(texts)) {}

    void add(const Image8& frame, const StopToken& stop) override {
        while (encoded_.size() >= kEncodedAtOnce) {
            writeNext(stop);
        }
        encoded_.push_back(
            std::async(std::launch::async, [frame, stop, texts = std::exchange(texts_, {})] {
                return image::encodePng(frame, texts, stop);
            }));
    }

    void finish(const StopToken& stop) override {
        while (!encoded_.empty()) {
            writeNext(stop);
        }
    }

private:
    void writeNext(const StopToken& stop) {
        std::future<std::string> next = std::move(encoded_.front());
        encoded_.pop_front();
        while (next.wait_for(kStopPoll) != std::future_status::ready) {
            stop.throwIfStopped();
        }
        file_.write(animation_.partOf(next.get()));
    }

    files::OutputFile& file_;
    image::PngAnimation animation_;
    Texts texts_;
    std::deque<std::future<std::string>> encoded_;
};

class WebPVideo final : public VideoWriter {
public:
    WebPVideo(files::OutputFile& file, const VideoEncoding& encoding, Texts texts)
        : file_(file),
          animation_(encoding.size,
                     encoding.rate,
                     {.format = image::PictureFormat::WebP,
                      .quality = encoding.quality,
                      .isLossless = encoding.format->format == Format::WebPLossless}),
          texts_(std::move(texts)) {}

    void add(const Image8& frame, const StopToken& stop) override {
        stop.throwIfStopped();
        animation_.add(frame, stop);
    }

    void finish(const StopToken& stop) override {
        const std::string whole = animation_.finish(texts_);
        stop.throwIfStopped();
        file_.write(whole);
    }

private:
    files::OutputFile& file_;
    image::WebPAnimation animation_;
    Texts texts_;
};

}  // namespace

std::unique_ptr<VideoWriter> openPngVideo(files::OutputFile& file,
                                          const VideoEncoding& encoding,
                                          Texts texts) {
    return std::make_unique<PngVideo>(file, encoding, std::move(texts));
}

std::unique_ptr<VideoWriter> openWebPVideo(files::OutputFile& file,
                                           const VideoEncoding& encoding,
                                           Texts texts) {
    return std::make_unique<WebPVideo>(file, encoding, std::move(texts));
}

}  // namespace lowtide::video
