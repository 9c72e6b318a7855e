#include "ui/cli/plugin_door.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/cli/os.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace lowtide::cli {

namespace {

constexpr const char* kModuleName = "liblowtide_plugin.so";

std::vector<std::string> candidates() {
    if (const char* chosen = std::getenv("LOWTIDE_PLUGIN_PATH")) {
        return {chosen};
    }
    const std::string here = programFolder();
    return {here + "/../lib/" + kModuleName,
            here + "/../lib/lowtide/" + kModuleName,
            here + "/" + kModuleName};
}

}  // namespace

Plugin& openPlugin() {
    using Door = Plugin* (*)(uint32_t, const char*);
    using Refusal = const char* (*)();
    for (const std::string& path : candidates()) {
        if (!std::filesystem::exists(path)) {
            continue;
        }
        const OpenedLibrary library = openLibrary(path);
        if (!library.handle) {
            throw Error(ErrorKind::Unsupported,
                        std::string(kModuleName) + " cannot be loaded: " + library.reason);
        }
        const auto door = reinterpret_cast<Door>(symbolOf(library.handle, "lowtide_plugin"));
        const auto refusal =
            reinterpret_cast<Refusal>(symbolOf(library.handle, "lowtide_plugin_refusal"));
        if (!door || !refusal) {
            throw Error(ErrorKind::Unsupported, std::string(kModuleName) + " is no Lowtide module");
        }
        if (Plugin* plugin = door(kAbi, kHostToolchain)) {
            return *plugin;
        }
        throw Error(ErrorKind::Unsupported,
                    std::string(kModuleName) + " refuses this program: " + refusal());
    }
    throw Error(ErrorKind::NotFound,
                std::string(kModuleName) + " was not found",
                "build it (./dev build) or set LOWTIDE_PLUGIN_PATH to the file");
}

Plugin& startPlugin(int threads, const std::string& log, const std::string& cudnnApi) {
    Plugin& plugin = openPlugin();
    std::string result;
    const Json settings = {
        {"threads", threads}, {"log", log}, {"guardMaps", true}, {"cudnnApi", cudnnApi}};
    if (plugin.start(settings.dump(), result) != Status::Ok) {
        const Json issues = parseJson(result, "the module's answer").value("issues", Json::array());
        throw Error(ErrorKind::Internal,
                    issues.empty() ? "the module did not start"
                                   : issues[0].value("message", std::string()));
    }
    return plugin;
}

}  // namespace lowtide::cli
