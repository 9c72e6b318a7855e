#include "plugin/video/video_writer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/program.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/png.hpp"
#include "plugin/video/ffmpeg.hpp"

#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <utility>

namespace lowtide::video {

using Texts = std::vector<image::ImageText>;

[[nodiscard]] std::unique_ptr<VideoWriter> openFfmpegVideo(files::OutputFile& file,
                                                           const VideoEncoding& encoding,
                                                           const Texts& texts);
[[nodiscard]] std::unique_ptr<VideoWriter> openPngVideo(files::OutputFile& file,
                                                        const VideoEncoding& encoding,
                                                        Texts texts);
[[nodiscard]] std::unique_ptr<VideoWriter> openWebPVideo(files::OutputFile& file,
                                                         const VideoEncoding& encoding,
                                                         Texts texts);

namespace {

constexpr FormatInfo kFormats[] = {
    {Format::Mp4, "mp4", "MP4 (H.264)", ".mp4", "libx264"},
    {Format::WebM, "webm", "WebM (VP9)", ".webm", "libvpx-vp9"},
    {Format::WebP, "webp", "WebP", ".webp"},
    {Format::WebPLossless, "webp_lossless", "WebP, lossless", ".webp"},
    {Format::Png, "png", "PNG, animated", ".png"},
};
constexpr int64_t kMostSide = 16383;  ///< of H.264 at its highest level, VP9 and WebP

void checkSides(const VideoEncoding& encoding) {
    const image::ImageSize& size = encoding.size;
    const Message sides = message("frames of {} x {} pixels cannot be saved as {}",
                                  size.widthPixels,
                                  size.heightPixels,
                                  encoding.format->label);
    const int64_t most = encoding.format->format == Format::Png
                             ? image::largestSide(image::ImageFormat::Png)
                             : kMostSide;
    requireThat(size.widthPixels <= most && size.heightPixels <= most,
                message("{}, which takes {} a side", sides, most),
                message("choose PNG, which takes more"),
                "format");
    const bool isEven = size.widthPixels % 2 == 0 && size.heightPixels % 2 == 0;
    requireThat(isEven || encoding.format->format != Format::Mp4,
                message("{}, which wants even sides", sides),
                message("choose another format, or another size"),
                "format");
}

}  // namespace

std::span<const FormatInfo> formats() {
    return kFormats;
}

void checkEncoding(const VideoEncoding& encoding) {
    checkSides(encoding);
    image::checkRate(encoding.rate);
    if (encoding.format->encoder) {
        requireEncoder(requiredProgram("ffmpeg", Message(encoding.format->label), "format"),
                       encoding.format->encoder,
                       "format");
    }
}

std::unique_ptr<VideoWriter> openVideo(files::OutputFile& file,
                                       const VideoEncoding& encoding,
                                       std::vector<image::ImageText> texts) {
    checkEncoding(encoding);
    if (encoding.format->encoder) {
        return openFfmpegVideo(file, encoding, texts);
    }
    return encoding.format->format == Format::Png ? openPngVideo(file, encoding, std::move(texts))
                                                  : openWebPVideo(file, encoding, std::move(texts));
}

namespace {

/// Texts as ffmpeg's demuxer "ffmetadata" reads them.
std::string metadataOf(const Texts& texts) {
    std::string file = ";FFMETADATA1\n";
    for (const image::ImageText& each : texts) {
        file += each.key + "=";
        for (const char character : each.text) {
            if (std::string_view("=;#\\\n").find(character) != std::string_view::npos) {
                file += '\\';
            }
            file += character;
        }
        file += '\n';
    }
    return file;
}

/// Colours of sRGB images as BT.709, which players take for granted, computed exactly.
constexpr const char* kColours =
    "scale=in_range=pc:out_range=tv:out_color_matrix=bt709:flags=accurate_rnd+full_chroma_int,"
    "format=yuv420p";

void append(std::vector<std::string>& all, std::initializer_list<std::string> more) {
    all.insert(all.end(), more);
}

std::vector<std::string> argumentsFor(const VideoEncoding& encoding, const std::string& name) {
    std::vector<std::string> all = {"-hide_banner", "-v", "error", "-y"};
    append(all, {"-f", "ffmetadata", "-i", "pipe:3"});
    append(all, {"-f", "rawvideo", "-pixel_format", "rgb24", "-video_size"});
    append(all,
           {std::to_string(encoding.size.widthPixels) + "x" +
                std::to_string(encoding.size.heightPixels),
            "-framerate",
            formatNumber(encoding.rate),
            "-i",
            "pipe:0",
            "-map",
            "1:v",
            "-map_metadata",
            "0",
            "-vf",
            kColours});
    append(all, {"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"});
    append(all, {"-color_range", "tv", "-c:v", encoding.format->encoder});
    append(all, {"-crf", std::to_string(encoding.crf)});
    append(all, {"-fflags", "+bitexact", "-flags:v", "+bitexact"});  // no random ids, no versions
    if (encoding.format->format == Format::Mp4) {
        append(all, {"-movflags", "+faststart+use_metadata_tags", "-f", "mp4"});
    } else {
        append(all, {"-b:v", "0", "-cpu-used", "2", "-row-mt", "1", "-f", "webm"});
    }
    all.push_back("file:" + name);
    return all;
}

class FfmpegVideo final : public VideoWriter {
public:
    FfmpegVideo(files::OutputFile& file, const VideoEncoding& encoding, const Texts& texts)
        : file_(file), program_(startFor(file_, encoding, texts)) {}

    void add(const Image8& frame, const StopToken& stop) override {
        LOWTIDE_ASSERT(frame.channels == 3);
        program_.write(std::as_bytes(std::span(frame.pixels.get(), frame.byteCount())), stop);
    }

    void finish(const StopToken& stop) override { program_.finish(stop); }

private:
    /// It works in the folder, so that its words name no folder of the machine.
    static files::Program::Start startFor(const files::OutputFile& file,
                                          const VideoEncoding& encoding,
                                          const Texts& texts) {
        const std::filesystem::path temporary(file.temporary());
        return {.path = requiredProgram("ffmpeg", Message(encoding.format->label), "format"),
                .arguments = argumentsFor(encoding, temporary.filename().string()),
                .folder = temporary.parent_path().string(),
                .third = metadataOf(texts)};
    }

    files::OutputFile& file_;
    files::Program program_;  // ends before the file is removed
};

}  // namespace

std::unique_ptr<VideoWriter> openFfmpegVideo(files::OutputFile& file,
                                             const VideoEncoding& encoding,
                                             const Texts& texts) {
    return std::make_unique<FfmpegVideo>(file, encoding, texts);
}

namespace {

/// Images that are encoded at a time: the one that is written next, and those behind it.
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
                     {.format = image::ImageFormat::WebP,
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
