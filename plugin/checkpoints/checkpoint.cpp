#include "plugin/checkpoints/checkpoint.hpp"

#include "plugin/base/error.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lowtide::models {

std::string Checkpoint::pipelineClass() const {
    return JsonReader(index(), "model_index.json").text("_class_name").value_or("");
}

std::string Checkpoint::componentClass(std::string_view component) const {
    const auto entry = index().find(component);
    const bool isPair = entry != index().end() && entry->is_array() && entry->size() == 2;
    return isPair && (*entry)[1].is_string() ? (*entry)[1].get<std::string>() : std::string();
}

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestText = 64 * kMiB;
constexpr const char* kIndex = "model_index.json";

void checkIsFolder(const std::string& path, const std::string& name) {
    std::error_code ignored;
    if (!fs::exists(fs::path(path) / kIndex, ignored)) {
        throw Error(
            ErrorKind::NotFound,
            message("checkpoint {} has no {}", name, kIndex),
            message(
                "choose a folder in the diffusers layout, or a .safetensors, .gguf or .ckpt file"),
            "checkpoint");
    }
}

}  // namespace

CheckpointFolder::CheckpointFolder(std::string path, std::string name)
    : path_(std::move(path)), name_(std::move(name)) {
    checkIsFolder(path_, name_);
    index_ = readJson(kIndex);
    if (!index_.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("{}/{} is no JSON object", name_, kIndex),
                    message("get the checkpoint again"),
                    "checkpoint");
    }
}

std::string CheckpointFolder::fullPathOf(const std::string& relative) const {
    const size_t end = std::min(relative.find('/'), relative.size());
    const auto known = folders_.find(relative.substr(0, end));
    return known == folders_.end() ? relative : known->second + relative.substr(end);
}

/// A component with a folder of its own is named by that folder.
std::string CheckpointFolder::pathOf(const std::string& relative) const {
    const std::string folder = fullPathOf(relative);
    return folder == relative ? name_ + "/" + relative : folder;
}

bool CheckpointFolder::has(const std::string& relative) const {
    std::error_code ignored;
    return fs::exists(fs::path(path_) / fullPathOf(relative), ignored);
}

std::string CheckpointFolder::readText(const std::string& relative) {
    if (!has(relative)) {
        throw Error(ErrorKind::NotFound,
                    message("checkpoint {} has no {}", name_, relative),
                    message("complete the checkpoint's folder"),
                    "checkpoint");
    }
    const files::InputFile file((fs::path(path_) / fullPathOf(relative)).string());
    std::string text = file.readAll(kLargestText);
    files::refuseStandIn(text, name_ + "/" + relative);
    files_.push_back(stampOf(file));
    return text;
}

Json CheckpointFolder::readJson(const std::string& relative) {
    return parseJson(readText(relative), pathOf(relative), {.readPythonNumbers = true});
}

WeightMap CheckpointFolder::weights(const std::string& component, const std::string& stem) {
    WeightMap map = openWeights(path_, fullPathOf(component), stem);
    map.what = name_ + "/" + component;
    files_.insert(files_.end(), map.files.begin(), map.files.end());
    return map;
}

std::function<WeightMap()> CheckpointFolder::laterWeights(const std::string& component,
                                                          const std::string& stem) {
    const std::vector<memory::WeightFile> files = findWeights(path_, fullPathOf(component), stem);
    files_.insert(files_.end(), files.begin(), files.end());
    return [root = path_,
            what = name_ + "/" + component,
            folder = fullPathOf(component),
            stem,
            files] {
        WeightMap map = openWeights(root, folder, stem);
        map.what = what;
        std::vector<memory::WeightFile> opened = map.files;
        std::sort(opened.begin(), opened.end(), [](const auto& a, const auto& b) {
            return a.path < b.path;
        });
        if (opened != files) {
            throw Error(
                ErrorKind::Corrupt,
                message("{}: the weights were changed since the checkpoint was opened", what),
                message("load the checkpoint again"));
        }
        return map;
    };
}

}  // namespace lowtide::models
