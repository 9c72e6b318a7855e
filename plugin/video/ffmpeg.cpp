#include "plugin/video/ffmpeg.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/program.hpp"

#include <filesystem>
#include <map>
#include <mutex>

namespace lowtide::video {

namespace {

/// Names of FFmpeg's demuxers.
constexpr const char* kDemuxers =
    "apng,asf,avi,dv,flv,gif,h264,hevc,ivf,m4v,matroska,mjpeg,mov,mpeg,mpegts,mpegvideo,mxf,nut,"
    "obu,"
    "ogg,yuv4mpegpipe";

/// The output of "ffmpeg -encoders" by program, asked for once until the program's file changes. A
/// failure is kept for a minute: one that hangs would delay every check, one that passes must not
/// last for the life of the process.
std::string encodersOf(const std::string& ffmpeg) {
    using Clock = std::chrono::steady_clock;

    struct Known {
        files::FileIdentity program;
        std::string list;
        std::optional<Error> failure;
        Clock::time_point asked;
    };

    static std::mutex mutex;
    static std::map<std::string, Known> known;
    constexpr size_t kMost = 1u << 20;
    constexpr std::chrono::seconds kListPatience{10};
    constexpr std::chrono::minutes kFailureLife{1};
    const std::lock_guard lock(mutex);
    const files::FileIdentity program = files::stampOfFile(ffmpeg).identity;
    Known& answer = known[ffmpeg];
    const bool isOver = answer.failure && Clock::now() - answer.asked > kFailureLife;
    if (answer.program != program || isOver) {
        answer = {.program = program};
        try {
            answer.list =
                files::answerOf({.path = ffmpeg,
                                 .arguments = {"-hide_banner", "-v", "error", "-encoders"},
                                 .patience = kListPatience},
                                kMost,
                                {})
                    .text;
        } catch (const Error& error) {
            answer.failure = error;
        }
        answer.asked = Clock::now();
    }
    if (answer.failure) {
        throw *answer.failure;
    }
    return answer.list;
}

}  // namespace

std::string requiredProgram(const char* name, const Message& what, const char* item) {
    const std::optional<std::string> path = files::findProgram(name);
    if (!path) {
        throw Error(ErrorKind::NotFound,
                    message("{} needs the program {}, which is not on this machine", what, name),
                    message("install FFmpeg and put its programs on the PATH, or choose WebP or "
                            "PNG, which need none"),
                    item);
    }
    return *path;
}

void requireEncoder(const std::string& ffmpeg, const std::string& encoder, const char* item) {
    if (encodersOf(ffmpeg).find(" " + encoder + " ") == std::string::npos) {
        throw Error(ErrorKind::Unsupported,
                    message("the ffmpeg of this machine was built without {}", encoder),
                    message("install one that has it, or choose another format"),
                    item);
    }
}

std::vector<std::string> inputArguments(const files::InputFile& file) {
    return {"-protocol_whitelist",
            "file",
            "-format_whitelist",
            kDemuxers,
            "-i",
            "file:" + std::filesystem::path(file.path()).filename().string()};
}

std::string plainWords(const std::string& words) {
    std::string plain;
    size_t at = 0;
    while (at < words.size()) {
        const size_t begin = words.find('[', at);
        const size_t address = begin == std::string::npos ? begin : words.find(" @ 0x", begin);
        const size_t end = address == std::string::npos ? address : words.find("] ", address);
        if (end == std::string::npos) {
            break;
        }
        plain += words.substr(at, begin - at);
        at = end + 2;
    }
    return plain + words.substr(at);
}

}  // namespace lowtide::video
