#include "plugin/video/video_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/program.hpp"
#include "plugin/video/ffmpeg.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

namespace lowtide::video {

namespace {

using namespace std::string_view_literals;

constexpr size_t kMostAnswer = 64u << 20;  // a graph and much more, or four million frames
constexpr size_t kTypeAt = 4;              // of MP4's first box

[[noreturn]] void refuseVideo(const std::string& name, const std::string& problem) {
    throw Error(ErrorKind::Corrupt,
                quotedName(name) + " is no video that ffprobe can read: " + problem,
                "choose another file");
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
void addTexts(const JsonReader& from, std::vector<image::PictureText>& texts) {
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

/// What ffprobe says when asked for `entries`; it fails where it finds no video.
std::string probed(const files::InputFile& file,
                   const std::string& entries,
                   const char* format,
                   const char* item,
                   const StopToken& stop) {
    const std::filesystem::path path(file.path());
    const files::Program::Start start = {
        .path = requiredProgram("ffprobe", "the video " + quotedName(file.name()), item),
        .arguments = {"-v",
                      "error",
                      "-select_streams",
                      "v:0",
                      "-show_entries",
                      entries,
                      "-of",
                      format,
                      "file:" + path.filename().string()},
        .folder = path.parent_path().string()};
    try {
        return files::answerOf(start, kMostAnswer, stop);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Device) {
            throw;
        }
        refuseVideo(file.name(), error.message());
    }
}

/// Lines "0.033333,K__". A D among the flags: the packet is decoded, but its frame is not shown.
void addFrames(const std::string& packets, double begin, VideoHeader& header) {
    for (const std::string& packet : split(packets, '\n')) {
        const std::vector<std::string> parts = split(packet, ',');
        if (parts.size() < 2 || parts[1].find('D') != std::string::npos) {
            continue;
        }
        ++header.frames;
        if (const std::optional<double> time = secondsIn(parts[0])) {
            header.times.push_back(*time - begin);
        }
    }
    std::ranges::sort(header.times);  // packets come in the order of their decoding
    if (static_cast<int64_t>(header.times.size()) != header.frames) {
        header.times.clear();
    }
}

}  // namespace

bool beginsAsVideo(std::span<const std::byte> begin) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
    const bool isPicture = text.substr(std::min(text.size(), 2 * kTypeAt)).starts_with("avif"sv) ||
                           text.substr(std::min(text.size(), 2 * kTypeAt)).starts_with("hei"sv) ||
                           text.substr(std::min(text.size(), 2 * kTypeAt)).starts_with("mif1"sv);
    return text.starts_with("\x1A\x45\xDF\xA3"sv) ||
           (text.substr(std::min(text.size(), kTypeAt)).starts_with("ftyp"sv) && !isPicture);
}

bool hasVideoName(std::string_view path) {
    const std::string lower = toLower(path);
    return lower.ends_with(".mp4") || lower.ends_with(".webm");
}

VideoHeader readVideoHeader(const files::InputFile& file, const char* item, const StopToken& stop) {
    const std::string answer = probed(file,
                                      "stream=width,height,avg_frame_rate:stream_tags:"
                                      "stream_side_data=rotation:format=start_time:format_tags",
                                      "json",
                                      item,
                                      stop);
    const Json json = parseJson(answer, "ffprobe");
    const JsonReader reader(json, file.name());
    const Json* streams = reader.member("streams");
    if (!streams || !streams->is_array() || streams->empty()) {
        refuseVideo(file.name(), "it has no pictures");
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
    if (const Json* format = reader.member("format")) {
        const JsonReader container(*format, file.name());
        begin = secondsIn(container.text("start_time").value_or("")).value_or(0);
        addTexts(container, header.texts);
    }
    addFrames(probed(file, "packet=pts_time,flags", "csv=p=0", item, stop), begin, header);
    if (header.size.widthPixels < 1 || header.size.heightPixels < 1 || header.frames < 1) {
        refuseVideo(file.name(), "it has no pictures");
    }
    return header;
}

}  // namespace lowtide::video
