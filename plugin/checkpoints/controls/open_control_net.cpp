#include "plugin/checkpoints/controls/open_control_net.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/controls/control_file.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"
#include "plugin/checkpoints/single_file/constants_check.hpp"
#include "plugin/checkpoints/unchanged_weights.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr size_t kRecentControlNets = 8;
constexpr Bytes kLargestControlConfig = kMiB;
constexpr const char* kControlClass = "ControlNetModel";
constexpr const char* kAdapterClass = "T2IAdapter";
constexpr const char* kControlStem = "diffusion_pytorch_model";

fs::path controlConfigOf(const CheckpointPath& folder) {
    return fs::path(folder.path) / "config.json";
}

std::string labelFor(const ControlConfig& config) {
    const std::string base = AdapterBase{.contextWidth = config.unet.contextWidth()}.text();
    return "ControlNet" + (base.empty() ? "" : " for " + base);
}

std::string labelFor(const HintAdapterConfig& config) {
    constexpr int64_t kSquareOfXl = 16;
    return std::string("T2I-Adapter for ") +
           (config.squarePixels == kSquareOfXl ? "SDXL" : "SD 1.x and 2.x");
}

bool isOfClass(const Json& settings, const std::string& what, const std::string& name) {
    return settings.is_object() && JsonReader(settings, what).text("_class_name") == name;
}

Json readSettings(const CheckpointPath& folder, const files::InputFile& file) {
    return parseJson(file.readAll(kLargestControlConfig),
                     folder.name + "/config.json",
                     {.readPythonNumbers = true});
}

std::shared_ptr<const ControlNet> openControlFolder(const CheckpointPath& path) {
    const fs::path config = controlConfigOf(path);
    std::error_code missing;
    if (!fs::exists(config, missing)) {
        throw Error(ErrorKind::NotFound,
                    "ControlNet " + path.name + " has no config.json",
                    "choose a ControlNet's folder in the diffusers layout, or its file");
    }
    const files::InputFile file(config.string());
    const std::string what = path.name + "/config.json";
    const Json settings = readSettings(path, file);
    HintNetworkConfig read = isOfClass(settings, what, kAdapterClass)
                                 ? HintNetworkConfig(readHintAdapterConfig(settings, what))
                                 : HintNetworkConfig(readControlConfig(settings, what));
    WeightMap weights = openWeights(path.path, ".", kControlStem);
    weights.what = path.name;
    weights.hint = "get the weights and config.json of the same network";
    weights.files.push_back(stampOf(file));
    return std::make_shared<const ControlNet>(path.name, std::move(read), std::move(weights));
}

[[noreturn]] void refuseControlFile(const WeightMap& file, const CheckpointPath& path) {
    const OtherControl other = otherThanControlNet(file);
    std::vector<std::string> seen;
    for (const auto& [name, place] : file.tensors) {
        seen.push_back(quotedName(name));
    }
    constexpr size_t kShownNames = 3;
    throw Error(ErrorKind::Unsupported,
                path.name + " is no ControlNet or T2I-Adapter that is built" +
                    (other.kind.empty() ? "" : ", it is of the kind \"" + other.kind + "\"") +
                    ": it has " +
                    (seen.empty() ? "no tensors" : "the tensors " + listSome(seen, kShownNames)),
                other.hint);
}

/// Settings that no shape states are the published ones, or stand beside the file.
std::shared_ptr<const ControlNet> openControlFile(const CheckpointPath& path) {
    const WeightFileHeader header = openWeightFile(path.path);
    if (isHintAdapter(header.map)) {
        HintAdapterFile adapter = hintAdapterIn(header.map);
        return std::make_shared<const ControlNet>(
            path.name, std::move(adapter.config), std::move(adapter.weights));
    }
    const std::optional<ControlNames> names = controlNamesOf(header.map);
    if (!names) {
        refuseControlFile(header.map, path);
    }
    ControlFile file = controlFileIn(header.map, *names);
    const BesideFile beside = readBeside(path.path);
    const Json settings = withBeside(std::move(file.settings), beside, "unet");
    checkUNetConstants(settings, file.weights.what, beside);
    if (beside.stamp) {
        file.weights.files.push_back(*beside.stamp);
    }
    return std::make_shared<const ControlNet>(
        path.name, readControlConfig(settings, file.weights.what), std::move(file.weights));
}

}  // namespace

std::shared_ptr<const ControlNet> openControlNet(const CheckpointPath& path) {
    std::error_code missing;
    return fs::is_directory(path.path, missing) ? openControlFolder(path) : openControlFile(path);
}

bool looksLikeControlNet(const WeightMap& file) {
    return isHintAdapter(file) || controlNamesOf(file);
}

std::optional<std::string> whatControlNetIs(const WeightMap& file) {
    if (isHintAdapter(file)) {
        return labelFor(hintAdapterIn(file).config);
    }
    const std::optional<ControlNames> names = controlNamesOf(file);
    if (!names) {
        return std::nullopt;
    }
    return labelFor(readControlConfig(controlFileIn(file, *names).settings, file.what));
}

std::optional<std::string> whatControlNetIs(const CheckpointPath& folder) {
    std::error_code missing;
    if (!fs::exists(controlConfigOf(folder), missing)) {
        return std::nullopt;
    }
    const Json settings = readSettings(folder, files::InputFile(controlConfigOf(folder).string()));
    const std::string what = folder.name + "/config.json";
    if (isOfClass(settings, what, kAdapterClass)) {
        return labelFor(readHintAdapterConfig(settings, what));
    }
    return isOfClass(settings, what, kControlClass)
               ? std::optional(labelFor(readControlConfig(settings, what)))
               : std::nullopt;
}

std::shared_ptr<const ControlNet> ControlNets::open(const CheckpointPath& path) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(recent_.begin(), recent_.end(), [&](const Entry& entry) {
        return entry.path == path.path && areUnchanged(entry.net->files());
    });
    Entry entry{path.path, nullptr};
    if (known != recent_.end()) {
        entry = std::move(*known);
        recent_.erase(known);
    } else {
        entry.net = openControlNet(path);
    }
    recent_.push_front(std::move(entry));
    recent_.resize(std::min(recent_.size(), kRecentControlNets));
    return recent_.front().net;
}

}  // namespace lowtide::models
