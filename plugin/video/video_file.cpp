#include "plugin/video/video_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/program.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/video/ffmpeg.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::video {

namespace {

using namespace std::string_view_literals;

constexpr size_t kMostAnswer = 64u << 20;  // a graph and much more, or four million frames
constexpr size_t kTypeAt = 4;              // of MP4's first box

constexpr double kMostMissing = 0.5;  // seconds at a video's end, before its file counts as cut

[[noreturn]] void refuseVideo(const std::string& name, const Message& problem) {
    throw Error(ErrorKind::Corrupt,
                message("{} is no video that ffprobe can read: {}", quotedName(name), problem),
                message("choose another file"));
}

/// ffprobe's own sentence for formats that inputArguments() leaves out.
bool isOfOtherFormat(const std::string& words) {
    return words.find("whitelist") != std::string::npos;
}

/// "30000/1001"; 0: no number.
double rateOf(const std::string& text) {
    const std::vector<std::string> parts = split(text, '/');
    std::array<double, 2> numbers = {0, 1};
    for (size_t i = 0; i < std::min(parts.size(), numbers.size()); ++i) {
        std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
    }
    return numbers[1] > 0 ? numbers[0] / numbers[1] : 0;
}

/// Nothing: "N/A".
std::optional<double> secondsIn(const std::string& text) {
    double seconds = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    return problem == std::errc() ? std::optional(seconds) : std::nullopt;
}

/// Matroska's keys are capital.
void addTexts(const JsonReader& from, std::vector<image::ImageText>& texts) {
    const Json* tags = from.member("tags");
    if (!tags || !tags->is_object()) {
        return;
    }
    for (const auto& [key, value] : tags->items()) {
        if (value.is_string()) {
            texts.push_back({toLower(key), value.get<std::string>()});
        }
    }
}

bool isTurned(const JsonReader& stream) {
    const Json* sides = stream.member("side_data_list");
    for (const Json& each : sides && sides->is_array() ? *sides : Json::array()) {
        const auto rotation = each.find("rotation");
        if (rotation != each.end() && rotation->is_number() &&
            std::abs(rotation->get<int>()) % 180 == 90) {
            return true;
        }
    }
    return false;
}

/// "00:00:05.000000000", as Matroska writes durations.
std::optional<double> secondsOfClock(const std::string& text) {
    constexpr double kMinute = 60;
    double seconds = 0;
    for (const std::string& part : split(text, ':')) {
        const std::optional<double> value = secondsIn(part);
        if (!value) {
            return std::nullopt;
        }
        seconds = seconds * kMinute + *value;
    }
    return seconds;
}

/// What ffprobe reports when asked for `entries`; it fails where it finds no video.
files::Answer probed(const files::InputFile& file,
                     const std::string& entries,
                     const char* format,
                     const char* item,
                     const StopToken& stop) {
    files::Program::Start start = {
        .path = requiredProgram("ffprobe", message("the video {}", quotedName(file.name())), item),
        .arguments =
            {"-v", "error", "-select_streams", "v:0", "-show_entries", entries, "-of", format},
        .folder = std::filesystem::path(file.path()).parent_path().string(),
        .patience = kPatience};
    for (std::string& argument : inputArguments(file)) {
        start.arguments.push_back(std::move(argument));
    }
    try {
        return files::answerOf(start, kMostAnswer, stop);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Device) {
            throw;
        }
        if (isOfOtherFormat(error.message().str())) {
            throw Error(ErrorKind::Unsupported,
                        message("{} is of a format that is not read as a video; a playlist is one",
                                quotedName(file.name())),
                        message("choose the video itself, for example an MP4 or WebM"));
        }
        refuseVideo(file.name(), Message(plainWords(error.message().str())));
    }
}

/// Lines "0.033333,0.033333,K__". A D among the flags: the packet is decoded, but its frame is not
/// shown. Returns when the last frame ends; 0: not stated.
double addFrames(const std::string& packets, double begin, VideoHeader& header) {
    double end = 0;
    for (const std::string& packet : split(packets, '\n')) {
        const std::vector<std::string> parts = split(packet, ',');
        if (parts.size() < 3 || parts[2].find('D') != std::string::npos) {
            continue;
        }
        ++header.frames;
        if (const std::optional<double> time = secondsIn(parts[0])) {
            header.times.push_back(*time - begin);
            end = std::max(end, *time - begin + secondsIn(parts[1]).value_or(0));
        }
    }
    std::ranges::sort(header.times);  // packets come in the order of their decoding
    if (static_cast<int64_t>(header.times.size()) != header.frames) {
        header.times.clear();
        return 0;
    }
    return end;
}

/// An AVI states its size, and its duration is taken from the bytes that are there.
bool isCutAvi(const files::InputFile& file) {
    std::array<std::byte, 12> begin{};
    const Bytes size = file.identity().size;
    if (size < static_cast<Bytes>(begin.size())) {
        return false;
    }
    file.read(begin, 0);
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    Bytes stated = 0;
    for (size_t i = 4; i-- > 0;) {
        stated = stated * 256 + std::to_integer<Bytes>(begin[4 + i]);
    }
    return text.starts_with("RIFF"sv) && text.ends_with("AVI "sv) && stated + 8 > size;
}

/// How long the video is by what its file states; nothing: it states nothing.
std::optional<double> statedSeconds(const JsonReader& stream, const Json* format) {
    if (const auto seconds = secondsIn(stream.text("duration").value_or(""))) {
        return seconds;
    }
    const Json* tags = stream.member("tags");
    if (tags && tags->is_object() && tags->contains("DURATION") &&
        tags->at("DURATION").is_string()) {
        return secondsOfClock(tags->at("DURATION").get<std::string>());
    }
    if (format &&
        JsonReader(*format, "ffprobe").integer("nb_streams") == 1) {  // no sound that is longer
        return secondsIn(JsonReader(*format, "ffprobe").text("duration").value_or(""));
    }
    return std::nullopt;
}

}  // namespace

bool beginsAsVideo(std::span<const std::byte> begin) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    const bool isImage = text.substr(std::min(text.size(), 2 * kTypeAt)).starts_with("avif"sv) ||
                         text.substr(std::min(text.size(), 2 * kTypeAt)).starts_with("hei"sv) ||
                         text.substr(std::min(text.size(), 2 * kTypeAt)).starts_with("mif1"sv);
    return text.starts_with("\x1A\x45\xDF\xA3"sv) ||
           (text.substr(std::min(text.size(), kTypeAt)).starts_with("ftyp"sv) && !isImage);
}

bool hasVideoName(std::string_view path) {
    const std::string lower = toLower(path);
    return lower.ends_with(".mp4") || lower.ends_with(".webm");
}

VideoHeader readVideoHeader(const files::InputFile& file, const char* item, const StopToken& stop) {
    const std::string answer = probed(file,
                                      "stream=width,height,avg_frame_rate,duration:stream_tags:"
                                      "stream_side_data=rotation:format=start_time,duration,"
                                      "nb_streams:format_tags",
                                      "json",
                                      item,
                                      stop)
                                   .text;
    const Json json = parseJson(answer, "ffprobe");
    const JsonReader reader(json, file.name());
    const Json* streams = reader.member("streams");
    if (!streams || !streams->is_array() || streams->empty()) {
        refuseVideo(file.name(), message("it has no images"));
    }
    const JsonReader stream(streams->front(), file.name());
    VideoHeader header{.size = {.widthPixels = stream.integer("width").value_or(0),
                                .heightPixels = stream.integer("height").value_or(0)},
                       .rate = rateOf(stream.text("avg_frame_rate").value_or(""))};
    if (isTurned(stream)) {
        std::swap(header.size.widthPixels, header.size.heightPixels);
    }
    addTexts(stream, header.texts);
    double begin = 0;
    const Json* format = reader.member("format");
    if (format) {
        const JsonReader container(*format, file.name());
        begin = secondsIn(container.text("start_time").value_or("")).value_or(0);
        addTexts(container, header.texts);
    }
    const files::Answer packets =
        probed(file, "packet=pts_time,duration_time,flags", "csv=p=0", item, stop);
    const double end = addFrames(packets.text, begin, header);
    if (header.size.widthPixels < 1 || header.size.heightPixels < 1 || header.frames < 1) {
        refuseVideo(file.name(), message("it has no images"));
    }
    header.damage = Message(plainWords(packets.words));
    const std::optional<double> stated = statedSeconds(stream, format);
    if (header.damage.empty() && end > 0 && stated && end + kMostMissing < *stated) {
        header.damage =
            message("it ends after {} of {} seconds", formatNumber(end), formatNumber(*stated));
    } else if (header.damage.empty() && isCutAvi(file)) {
        header.damage = message("it is shorter than its header states");
    }
    return header;
}

namespace {

constexpr Bytes kLargestAnimation = kGiB;

bool isAnimation(const files::InputFile& file) {
    std::array<std::byte, image::kImageBeginBytes> begin{};
    const auto there = std::min<Bytes>(file.identity().size, static_cast<Bytes>(begin.size()));
    const std::span seen = std::span(begin).first(static_cast<size_t>(there));
    file.read(seen, 0);
    return image::beginsAsImage(seen);
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
                            message("{} ends after frame {}, it states that it had {}",
                                    quotedName(name_),
                                    begin_ + read_,
                                    begin_ + taken_.frames),
                            message("choose fewer frames, or another file"));
            }
            target = target.subspan(count);
        }
        ++read_;
        frame.pixels = pixels;
        return frame;
    }

    [[nodiscard]] Message damage(const StopToken& stop) override {
        try {
            program_.finish(stop);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Device) {
                throw;
            }
            return Message(plainWords(error.message().str()));
        }
        return Message(plainWords(program_.words()));
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
        return {.path = requiredProgram(
                    "ffmpeg", message("the video {}", quotedName(file.name())), item),
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
/// kept as long as their files are unchanged.
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
                message("{} has {} frames, and the first one shall be {}",
                        quotedName(file.name()),
                        taken.frames,
                        range.first),
                message("choose a smaller number"),
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
