#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/layouts/transformers.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"

#include <filesystem>
#include <set>
#include <utility>
#include <vector>

namespace lowtide::models {

const Layout& diffusers();
const Layout& autoencoder();
const Layout& denoiser();
const Layout& t5_encoder();
const Layout& clip_vision();
const Layout& clip_text();
const Layout& language_model();
const Layout& transformers();

namespace {

constexpr size_t kMostBeginnings = 3;  ///< a LoRA has one for each layer
constexpr const char* kHighNoiseFolder = "high_noise_model";
constexpr const char* kLowNoiseFolder = "low_noise_model";

/// "model", "first_stage_model", ...: the first parts of names.
std::string beginnings(const WeightMap& map) {
    std::set<std::string> seen;
    for (const auto& [name, place] : map.tensors) {
        seen.insert(name.substr(0, name.find('.')));
    }
    return seen.empty()
               ? "nothing"
               : listSome(std::vector<std::string>(seen.begin(), seen.end()), kMostBeginnings);
}

/// What the file is instead of a checkpoint, and where such a file goes.
std::pair<std::string, std::string> otherUse(const ModelSource& source, const Layout* layout) {
    if (layout) {
        return {layout->kind, layout->use};
    }
    const std::optional<KnownFile> known = knownFile(source.header->map);
    if (known && known->kind == "upscaler") {
        return {known->family, "choose a whole checkpoint here, and this file in Load upscaler"};
    }
    return {known ? known->family : "",
            known ? "choose a whole Stable Diffusion checkpoint; files of this kind are not read"
                  : "choose a whole Stable Diffusion checkpoint"};
}

[[noreturn]] void refuseSource(const ModelSource& source, const Layout* layout) {
    const WeightMap& map = source.header->map;
    const auto [kind, hint] = otherUse(source, layout);
    throw Error(ErrorKind::Unsupported,
                source.path.name + " is no checkpoint" +
                    (kind.empty() ? "" : ", it is of the kind \"" + kind + "\"") + ": " +
                    (hasLdmUNet(map, kLdmUNet)
                         ? ""
                         : "it has no tensor model.diffusion_model.input_blocks.0.0.weight, ") +
                    "its " + std::to_string(map.tensors.size()) + " tensors begin with " +
                    beginnings(map),
                hint,
                "checkpoint");
}

[[noreturn]] void refusePart(const ModelSource& source, const std::string& component) {
    throw Error(ErrorKind::Unsupported,
                source.path.name + " has no " + component +
                    (source.header ? ": its " + std::to_string(source.header->map.tensors.size()) +
                                         " tensors begin with " + beginnings(source.header->map)
                                   : ""),
                "choose a file of this component, or a checkpoint that has it",
                component);
}

/// The file to open: the path itself, or that of a folder with one network that is not in the
/// layout of transformers. Empty: several components lie there.
std::string weightsAt(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
        return path;
    }
    const std::filesystem::path folder(path);
    const bool isWhole = std::filesystem::exists(folder / "model_index.json", ignored);
    if (isWhole || !textClassIn(path).empty()) {
        return {};
    }
    return networkFileIn(lowNoiseIn(path).empty() ? path : (folder / kHighNoiseFolder).string());
}

}  // namespace

std::span<const Layout* const> layouts() {
    static const std::vector<const Layout*> kLayouts = [] {
        std::vector<const Layout*> all;
        for (const Family* family : families()) {
            all.insert(all.end(), family->layouts.begin(), family->layouts.end());
        }
        all.insert(all.end(),
                   {&diffusers(),
                    &autoencoder(),
                    &denoiser(),
                    &t5_encoder(),
                    &clip_vision(),
                    &clip_text(),
                    &language_model(),
                    &transformers()});
        return all;
    }();
    return kLayouts;
}

ModelSource readSource(const CheckpointPath& path) {
    const std::string weights = weightsAt(path.path);
    if (weights.empty()) {
        return {.path = path, .header = {}, .beside = {}};
    }
    ModelSource source{.path = {.path = weights, .name = path.name},
                       .header = openWeightFile(weights),
                       .beside = readBeside(weights)};
    source.header->map.what = path.name;
    return source;
}

std::string lowNoiseIn(const std::string& folder) {
    const std::filesystem::path low = std::filesystem::path(folder) / kLowNoiseFolder;
    std::error_code ignored;
    const bool hasBoth =
        std::filesystem::is_directory(low, ignored) &&
        std::filesystem::is_directory(std::filesystem::path(folder) / kHighNoiseFolder, ignored);
    return hasBoth ? low.string() : std::string();
}

const Layout* layoutOf(const ModelSource& source) {
    const Layout* surest = nullptr;
    double most = 0;
    for (const Layout* layout : layouts()) {
        const double score = layout->detect(source);
        if (score > most) {
            most = score;
            surest = layout;
        }
    }
    return surest;
}

std::unique_ptr<Checkpoint> openLayout(const CheckpointPath& path,
                                       const std::string& resourcesFolder) {
    ModelSource source = readSource(path);
    const Layout* layout = layoutOf(source);
    if (!layout || !layout->isWhole()) {
        refuseSource(source, layout);
    }
    return layout->open(std::move(source), resourcesFolder);
}

std::unique_ptr<Checkpoint> openPart(const CheckpointPath& path,
                                     const std::string& component,
                                     const std::string& resourcesFolder) {
    ModelSource source = readSource(path);
    const Layout* layout = layoutOf(source);
    std::unique_ptr<Checkpoint> checkpoint =
        layout ? layout->open(source, resourcesFolder) : nullptr;
    if (!checkpoint || checkpoint->componentClass(component).empty()) {
        refusePart(source, component);
    }
    return checkpoint;
}

std::unique_ptr<Checkpoint> openDenoiser(const CheckpointPath& path,
                                         const std::string& resourcesFolder) {
    ModelSource source = readSource(path);
    const Layout* layout = layoutOf(source);
    std::unique_ptr<Checkpoint> checkpoint =
        layout ? layout->open(source, resourcesFolder) : nullptr;
    if (checkpoint && !checkpoint->pipelineClass().empty()) {
        return checkpoint;
    }
    const auto [kind, use] = otherUse(source, layout);
    throw Error(
        ErrorKind::Unsupported,
        path.name + " is no diffusion model that is built alone" +
            (kind.empty() ? "" : ", it is of the kind \"" + kind + "\""),
        layout ? layout->use : "choose a diffusion model of one of these: " + modelsOfDenoisers());
}

}  // namespace lowtide::models
