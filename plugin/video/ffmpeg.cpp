#include "plugin/video/ffmpeg.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/program.hpp"

#include <map>
#include <mutex>

namespace lowtide::video {

namespace {

/// What "ffmpeg -encoders" says, by program.
std::string encodersOf(const std::string& ffmpeg) {
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    constexpr size_t kMost = 1u << 20;
    const std::lock_guard lock(mutex);
    std::string& list = known[ffmpeg];
    if (list.empty()) {
        list = files::answerOf(
            {.path = ffmpeg, .arguments = {"-hide_banner", "-v", "error", "-encoders"}}, kMost, {});
    }
    return list;
}

}  // namespace

std::string requiredProgram(const char* name, const std::string& what, const char* item) {
    const std::optional<std::string> path = files::findProgram(name);
    if (!path) {
        throw Error(ErrorKind::NotFound,
                    what + " needs the program " + name + ", which is not on this machine",
                    "install FFmpeg and put its programs on the PATH, or choose WebP or PNG, which "
                    "need none",
                    item);
    }
    return *path;
}

void requireEncoder(const std::string& ffmpeg, const std::string& encoder, const char* item) {
    if (encodersOf(ffmpeg).find(" " + encoder + " ") == std::string::npos) {
        throw Error(ErrorKind::Unsupported,
                    "the ffmpeg of this machine was built without " + encoder,
                    "install one that has it, or choose another format",
                    item);
    }
}

}  // namespace lowtide::video
