#include "plugin/checkpoints/single_file/sidecar_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/weight_map.hpp"

#include <filesystem>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestSidecarFile = 16 * kMiB;
constexpr Bytes kLargestConfig = kMiB;

void checkParts(const Json& parts, const std::string& name) {
    if (!parts.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is no JSON object", name),
                    message("write one, or remove it"));
    }
    for (const auto& [part, settings] : parts.items()) {
        if (!settings.is_object()) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: {} is no JSON object", name, part),
                        message("write settings as in the config.json of the diffusers layout"));
        }
    }
}

}  // namespace

std::string sidecarPath(const std::string& weights) {
    return fs::path(weights).replace_extension(".lowtide.json").string();
}

SidecarFile readSidecar(const std::string& weights) {
    const std::string path = sidecarPath(weights);
    std::string name = fs::path(path).filename().string();
    std::error_code ignored;
    if (path == weights || !fs::is_regular_file(path, ignored)) {
        return {.name = std::move(name)};
    }
    const files::InputFile file(path);
    SidecarFile sidecar = parseSidecar(file.readAll(kLargestSidecarFile), std::move(name));
    sidecar.stamp = stampOf(file);
    return sidecar;
}

std::string configPath(const std::string& weights) {
    return (fs::path(weights).parent_path() / "config.json").string();
}

Json configInFolder(const std::string& weights,
                    std::string_view className,
                    std::vector<memory::WeightFile>& files) {
    const std::string path = configPath(weights);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return Json::object();
    }
    const files::InputFile file(path);
    files.push_back(stampOf(file));
    Json stated =
        parseJson(file.readAll(kLargestConfig), "config.json", {.readPythonNumbers = true});
    if (!stated.is_object() || stated.value("_class_name", Json()) != className) {
        return Json::object();
    }
    return stated;
}

SidecarFile parseSidecar(std::string_view text, std::string name) {
    Json parts = parseJson(text, name);
    checkParts(parts, name);
    return {.name = std::move(name), .parts = std::move(parts), .stamp = {}};
}

Json withSidecar(Json settings, const SidecarFile& sidecar, const char* part) {
    const auto stated = sidecar.parts.find(part);
    if (stated != sidecar.parts.end()) {
        settings.update(*stated);
    }
    return settings;
}

}  // namespace lowtide::models
