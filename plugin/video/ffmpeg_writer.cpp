#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/files/program.hpp"
#include "plugin/video/ffmpeg.hpp"
#include "plugin/video/format_writing.hpp"

#include <filesystem>

namespace lowtide::video {

namespace {

/// Texts as ffmpeg's demuxer "ffmetadata" reads them.
std::string metadataOf(const Texts& texts) {
    std::string file = ";FFMETADATA1\n";
    for (const image::PictureText& each : texts) {
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

/// Colours of sRGB pictures as BT.709, which players take for granted, computed exactly.
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
        return {.path = requiredProgram("ffmpeg", encoding.format->label, "format"),
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

}  // namespace lowtide::video
