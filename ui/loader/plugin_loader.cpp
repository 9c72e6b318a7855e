#include "ui/loader/plugin_loader.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/loader/os.hpp"

#include <cstdlib>
#include <filesystem>

namespace lowtide::loader {

namespace {

constexpr Phrase kTorchHint = phrase(
    "it needs the LibTorch that it was built with, and a process holds one only: link its folder "
    "to lowtide/torch next to the module, or name its lib folder in LD_LIBRARY_PATH");

std::vector<std::string> candidates() {
    if (const char* chosen = std::getenv("LOWTIDE_PLUGIN_PATH")) {
        return {chosen};
    }
    const std::string here = programFolder();
    return {here + "/../lib/" + kModuleName,
            here + "/../lib/lowtide/" + kModuleName,
            here + "/" + kModuleName};
}

Error notFound(const std::string& path) {
    return {ErrorKind::NotFound,
            message("{} was not found", path),
            message("build it (./dev build) or set LOWTIDE_PLUGIN_PATH to the file")};
}

/// Of the first candidate that is there.
std::string modulePath() {
    for (const std::string& path : candidates()) {
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    throw notFound(kModuleName);
}

}  // namespace

Plugin& openPluginAt(const std::string& path, uint32_t abi, const char* toolchain) {
    using EntryPoint = Plugin* (*)(uint32_t, const char*);
    using Refusal = const char* (*)();
    if (!std::filesystem::exists(path)) {
        throw notFound(path);
    }
    const OpenedLibrary library = openLibrary(path);
    if (!library.handle) {
        throw Error(ErrorKind::Unsupported,
                    message("{} cannot be loaded: {}", kModuleName, library.reason),
                    kTorchHint);
    }
    const auto entryPoint =
        reinterpret_cast<EntryPoint>(symbolOf(library.handle, "lowtide_plugin"));
    const auto refusal =
        reinterpret_cast<Refusal>(symbolOf(library.handle, "lowtide_plugin_refusal"));
    if (!entryPoint || !refusal) {
        throw Error(ErrorKind::Unsupported, message("{} is no Lowtide module", path));
    }
    if (Plugin* plugin = entryPoint(abi, toolchain)) {
        return *plugin;
    }
    throw Error(ErrorKind::Unsupported,
                message("{} refuses this program: {}", kModuleName, refusal()));
}

Plugin& openPlugin() {
    return openPluginAt(modulePath(), kAbi, kHostToolchain);
}

std::string resourcesFolder() {
    const std::filesystem::path module = std::filesystem::canonical(modulePath());
    return (module.parent_path() / "lowtide" / "resources").string();
}

Plugin& startPlugin(const PluginSettings& settings) {
    Plugin& plugin = openPlugin();
    Json json = {{"threads", settings.threads},
                 {"log", settings.log},
                 {"guardMaps", true},
                 {"cudnnApi", settings.cudnnApi},
                 {"modelFolders", settings.modelFolders}};
    if (!settings.cacheFolder.empty()) {
        json["cacheFolder"] = settings.cacheFolder;
    }
    std::string result;
    if (plugin.start(json.dump(), result) != Status::Ok) {
        const Json issues = parseJson(result, "the module's answer").value("issues", Json::array());
        throw Error(
            ErrorKind::Internal,
            issues.empty() ? message("the module did not start") : messageIn(issues[0], "message"));
    }
    return plugin;
}

}  // namespace lowtide::loader
