#include "plugin/video/video_reader.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/program.hpp"
#include "plugin/image/animation_decode.hpp"
#include "plugin/video/ffmpeg.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::video {

namespace {

constexpr Bytes kLargestAnimation = kGiB;

bool isAnimation(const files::InputFile& file) {
    std::array<std::byte, image::kPictureBeginBytes> begin{};
    const auto there = std::min<Bytes>(file.identity().size, static_cast<Bytes>(begin.size()));
    const std::span seen = std::span(begin).first(static_cast<size_t>(there));
    file.read(seen, 0);
    return image::beginsAsPicture(seen);
}

class AnimatedFrames final : public VideoReader {
public:
    AnimatedFrames(const files::InputFile& file, const FrameRange& range, int64_t frames)
        : bytes_(file.readAll(kLargestAnimation)),
          reader_(image::openAnimation(std::as_bytes(std::span(bytes_)), file.name())),
          range_(range),
          left_(frames) {}

    [[nodiscard]] std::optional<Image8> next(const StopToken& stop) override {
        if (left_-- <= 0) {
            return std::nullopt;
        }
        std::optional<Image8> frame;
        do {
            frame = reader_->next(stop);
        } while (frame && at_++ != wanted_);
        wanted_ += range_.every;
        return frame;
    }

private:
    std::string bytes_;
    std::unique_ptr<image::AnimationReader> reader_;
    FrameRange range_;
    int64_t left_;
    int64_t at_ = 0;
    int64_t wanted_ = range_.first;
};

class FfmpegFrames final : public VideoReader {
public:
    /// A frame, and a time between the one before and it. The key frame before that is decoded
    /// first.
    struct Begin {
        int64_t frame = 0;
        double seconds = 0;
    };

    FfmpegFrames(const files::InputFile& file,
                 const FrameRange& range,
                 const TakenFrames& taken,
                 const char* item,
                 const Begin& begin)
        : name_(file.name()),
          taken_(taken),
          begin_(begin.frame),
          program_(startFor(file, range, taken, item, begin.seconds)) {}

    [[nodiscard]] std::optional<Image8> next(const StopToken& stop) override {
        if (read_ == taken_.frames) {
            return std::nullopt;
        }
        Image8 frame{.widthPixels = static_cast<int>(taken_.size.widthPixels),
                     .heightPixels = static_cast<int>(taken_.size.heightPixels)};
        const auto pixels = std::make_shared_for_overwrite<uint8_t[]>(frame.byteCount());
        std::span target = std::as_writable_bytes(std::span(pixels.get(), frame.byteCount()));
        while (!target.empty()) {
            const size_t count = program_.read(target, stop);
            if (count == 0) {
                program_.finish(stop);
                throw Error(ErrorKind::Corrupt,
                            quotedName(name_) + " ends after frame " +
                                std::to_string(begin_ + read_) + ", it says it had " +
                                std::to_string(begin_ + taken_.frames),
                            "choose fewer frames, or another file");
            }
            target = target.subspan(count);
        }
        ++read_;
        frame.pixels = pixels;
        return frame;
    }

    [[nodiscard]] std::string damage(const StopToken& stop) override {
        try {
            program_.finish(stop);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Device) {
                throw;
            }
            return plainWords(error.message());
        }
        return plainWords(program_.words());
    }

private:
    static files::Program::Start startFor(const files::InputFile& file,
                                          const FrameRange& range,
                                          const TakenFrames& taken,
                                          const char* item,
                                          double begin) {
        const std::filesystem::path path(file.path());
        const std::string first = std::to_string(range.first);
        const std::string wanted = "select='gte(n," + first + ")*not(mod(n-" + first + "," +
                                   std::to_string(range.every) + "))'";
        std::vector<std::string> arguments = {"-hide_banner", "-v", "error", "-nostdin"};
        if (begin > 0) {
            arguments.insert(arguments.end(), {"-ss", std::to_string(begin)});
        }
        for (std::string& argument : inputArguments(file)) {
            arguments.push_back(std::move(argument));
        }
        arguments.insert(arguments.end(),
                         {"-map",
                          "0:v:0",
                          "-vf",
                          wanted + ",scale=flags=accurate_rnd+full_chroma_int:out_range=pc",
                          "-fps_mode",
                          "passthrough",
                          "-frames:v",
                          std::to_string(taken.frames),
                          "-f",
                          "rawvideo",
                          "-pix_fmt",
                          "rgb24",
                          "pipe:1"});
        return {.path = requiredProgram("ffmpeg", "the video " + quotedName(file.name()), item),
                .arguments = std::move(arguments),
                .folder = path.parent_path().string()};
    }

    std::string name_;
    TakenFrames taken_;
    int64_t begin_;
    files::Program program_;
    int64_t read_ = 0;
};

/// A plan asks at every edit, and the answer costs a program or the whole file: the last ones are
/// kept as long as their files stay as they are.
TakenFrames framesKnownOf(const files::InputFile& file, const char* item) {
    struct Known {
        std::string path;
        files::FileIdentity identity;
        TakenFrames frames;
    };

    constexpr size_t kMostKnown = 16;
    static std::mutex mutex;
    static std::deque<Known> recent;
    {
        const std::lock_guard lock(mutex);
        for (const Known& known : recent) {
            if (known.path == file.path() && known.identity == file.identity()) {
                return known.frames;
            }
        }
    }
    const VideoHeader header = headerOf(file, item);
    const TakenFrames frames{
        .size = header.size, .frames = header.frames, .rate = header.rate, .damage = header.damage};
    const std::lock_guard lock(mutex);
    recent.push_front({file.path(), file.identity(), frames});
    recent.resize(std::min(recent.size(), kMostKnown));
    return frames;
}

}  // namespace

VideoHeader headerOf(const files::InputFile& file, const char* item, const StopToken& stop) {
    if (!isAnimation(file)) {
        return readVideoHeader(file, item, stop);
    }
    const std::string bytes = file.readAll(kLargestAnimation);
    const auto reader = image::openAnimation(std::as_bytes(std::span(bytes)), file.name());
    const image::AnimationHeader& header = reader->header();
    return {.size = header.size, .frames = header.frames, .rate = header.rate};
}

TakenFrames framesIn(const files::InputFile& file, const FrameRange& range, const char* item) {
    TakenFrames taken = framesKnownOf(file, item);
    requireThat(range.first < taken.frames,
                quotedName(file.name()) + " has " + std::to_string(taken.frames) +
                    " frames, and the first one shall be " + std::to_string(range.first),
                "choose a smaller number",
                "first");
    const int64_t there = (taken.frames - range.first + range.every - 1) / range.every;
    taken.frames = range.most > 0 ? std::min(there, range.most) : there;
    taken.rate /= static_cast<double>(range.every);
    return taken;
}

std::unique_ptr<VideoReader> openFrames(const files::InputFile& file,
                                        const FrameRange& range,
                                        const TakenFrames& taken,
                                        const char* item) {
    if (isAnimation(file)) {
        return std::make_unique<AnimatedFrames>(file, range, taken.frames);
    }
    return std::make_unique<FfmpegFrames>(file, range, taken, item, FfmpegFrames::Begin{});
}

std::unique_ptr<VideoReader> openFramesFrom(const files::InputFile& file,
                                            const VideoHeader& header,
                                            int64_t first,
                                            const char* item) {
    const FrameRange range{.first = first};
    const TakenFrames taken{
        .size = header.size, .frames = header.frames - first, .rate = header.rate};
    if (first == 0 || header.times.empty()) {
        return openFrames(file, range, taken, item);
    }
    const auto at = static_cast<size_t>(first);
    // Between two frames: what is rounded meets neither.
    const FfmpegFrames::Begin begin{.frame = first,
                                    .seconds = (header.times[at - 1] + header.times[at]) / 2};
    return std::make_unique<FfmpegFrames>(file, FrameRange{}, taken, item, begin);
}

}  // namespace lowtide::video
