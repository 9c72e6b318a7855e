#include "plugin/checkpoints/layouts/layout.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/input_file.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// The class of the text encoder that a folder holds in the layout of transformers, as its
/// config.json states it first; empty where it holds another network, or none.
[[nodiscard]] std::string textClassIn(const std::string& folder);

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
Message beginnings(const WeightMap& map) {
    std::set<std::string> seen;
    for (const auto& [name, location] : map.tensors) {
        seen.insert(name.substr(0, name.find('.')));
    }
    return seen.empty()
               ? message("nothing")
               : listSome(std::vector<std::string>(seen.begin(), seen.end()), kMostBeginnings);
}

/// What the file is instead of a checkpoint, and where such a file goes.
std::pair<std::string, Message> otherUse(const ModelSource& source, const Layout* layout) {
    if (layout) {
        return {layout->kind, layout->use};
    }
    const std::optional<KnownFile> known = knownFile(source.header->map);
    if (known && known->kind == "upscaler") {
        return {known->family,
                message("choose a whole checkpoint here, and this file in Load upscaler")};
    }
    return {known ? known->family : "",
            known ? message("choose a whole Stable Diffusion checkpoint; files of this kind are "
                            "not read")
                  : message("choose a whole Stable Diffusion checkpoint")};
}

[[noreturn]] void refuseSource(const ModelSource& source, const Layout* layout) {
    const WeightMap& map = source.header->map;
    const auto [kind, hint] = otherUse(source, layout);
    const std::string& name = source.path.name;
    const Message seen =
        hasLdmUNet(map, kLdmUNet)
            ? message("its {} tensors begin with {}", map.tensors.size(), beginnings(map))
            : message(
                  "it has no tensor model.diffusion_model.input_blocks.0.0.weight, its {} "
                  "tensors begin with {}",
                  map.tensors.size(),
                  beginnings(map));
    throw Error(
        ErrorKind::Unsupported,
        kind.empty()
            ? message("{} is no checkpoint: {}", name, seen)
            : message("{} is no checkpoint, it is of the kind \"{}\": {}", name, kind, seen),
        hint,
        "checkpoint");
}

[[noreturn]] void refusePart(const ModelSource& source, const std::string& component) {
    throw Error(ErrorKind::Unsupported,
                source.header ? message("{} has no {}: its {} tensors begin with {}",
                                        source.path.name,
                                        component,
                                        source.header->map.tensors.size(),
                                        beginnings(source.header->map))
                              : message("{} has no {}", source.path.name, component),
                message("choose a file of this component, or a checkpoint that has it"),
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
    const bool isComplete = std::filesystem::exists(folder / "model_index.json", ignored);
    if (isComplete || !textClassIn(path).empty()) {
        return {};
    }
    return networkFileIn(lowNoiseIn(path).empty() ? path : (folder / kHighNoiseFolder).string());
}

/// The list, and those of its layouts that are made of what networks state.
struct AllLayouts {
    std::deque<Layout> ofNetworks;
    std::vector<const Layout*> all;
};

}  // namespace

std::span<const Layout* const> layouts() {
    static const AllLayouts kLayouts = [] {
        AllLayouts layouts;
        std::vector<const Layout*>& all = layouts.all;
        for (const Family* family : families()) {
            for (const Network* network : family->networks) {
                if (network->liesAlone()) {
                    all.push_back(&layouts.ofNetworks.emplace_back(denoiserAlone(*network)));
                }
            }
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
        return layouts;
    }();
    return kLayouts.all;
}

ModelSource readSource(const CheckpointPath& path) {
    const std::string weights = weightsAt(path.path);
    if (weights.empty()) {
        return {.path = path, .header = {}, .sidecar = {}};
    }
    ModelSource source{.path = {.path = weights, .name = path.name},
                       .header = openWeightFile(weights),
                       .sidecar = readSidecar(weights)};
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
    if (!layout || !layout->isComplete()) {
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
    throw Error(ErrorKind::Unsupported,
                kind.empty()
                    ? message("{} is no diffusion model that is built alone", path.name)
                    : message("{} is no diffusion model that is built alone, it is of the kind "
                              "\"{}\"",
                              path.name,
                              kind),
                layout ? layout->use
                       : message("choose a diffusion model of one of these: {}",
                                 ofNetworks(&Network::models, &Network::liesAlone)));
}

namespace {

/// Whatever folder no other layout knows: what it lacks is reported by the code that opens it.
double detectFolder(const ModelSource& source) {
    return source.header ? 0 : 0.5;
}

std::unique_ptr<Checkpoint> openFolder(ModelSource source, const std::string&) {
    return std::make_unique<CheckpointFolder>(source.path.path, source.path.name);
}

}  // namespace

const Layout& diffusers() {
    static const Layout layout{.name = "diffusers", .detect = detectFolder, .open = openFolder};
    return layout;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kTextFolder = "text_encoder";
constexpr Bytes kLargestSettings = 4 * kMiB;

bool isFileIn(const fs::path& folder, const char* name) {
    std::error_code ignored;
    return fs::is_regular_file(folder / name, ignored);
}

/// One model in the layout of transformers, and no whole pipeline.
double detectTransformers(const ModelSource& source) {
    const fs::path folder = source.path.path;
    return !source.header && !isFileIn(folder, "model_index.json") &&
                   !textClassIn(source.path.path).empty()
               ? 0.9
               : 0;
}

/// The tokenizer lies next to the weights, or in the folder of a pipeline that belongs to this one:
/// tokenizer_4 next to text_encoder_4.
fs::path tokenizerFolderOf(const fs::path& folder) {
    const std::string name = folder.filename().string();
    if (!isFileIn(folder, "tokenizer_config.json") && name.starts_with(kTextFolder)) {
        return folder.parent_path() / ("tokenizer" + name.substr(std::string(kTextFolder).size()));
    }
    return folder;
}

Json settingsIn(const fs::path& folder, const char* file, const std::string& name) {
    const std::string text = files::InputFile((folder / file).string()).readAll(kLargestSettings);
    files::refuseStandIn(text, name + "/" + file);
    return parseJson(text, name + "/" + file, {.readPythonNumbers = true});
}

/// As the settings of the model state it first.
std::string architectureIn(const Json& config) {
    const auto stated = config.is_object() ? config.find("architectures") : config.end();
    const bool isStated = config.is_object() && stated != config.end() && stated->is_array() &&
                          !stated->empty() && stated->front().is_string();
    return isStated ? stated->front().get<std::string>() : std::string();
}

std::string tokenizerClassIn(const fs::path& folder, const std::string& name) {
    if (!isFileIn(folder, "tokenizer_config.json")) {
        return {};
    }
    const Json config = settingsIn(folder, "tokenizer_config.json", name);
    return JsonReader(config, name + "/tokenizer_config.json").text("tokenizer_class").value_or("");
}

std::unique_ptr<Checkpoint> openTransformers(ModelSource source, const std::string&) {
    const std::string& name = source.path.name;
    const fs::path folder = fs::path(source.path.path).lexically_normal();
    const fs::path weights = folder.has_filename() ? folder : folder.parent_path();
    const fs::path tokenizer = tokenizerFolderOf(weights);
    const auto classNamed = [](const std::string& className) {
        return className.empty() ? Json::array({nullptr, nullptr})
                                 : Json::array({"transformers", className});
    };
    Json index = {{kTextFolder, classNamed(architectureIn(settingsIn(weights, kConfigFile, name)))},
                  {"tokenizer", classNamed(tokenizerClassIn(tokenizer, name))}};
    const fs::path root = weights.parent_path();
    return std::make_unique<CheckpointFolder>(
        root.string(),
        name,
        std::move(index),
        ComponentFolders{{kTextFolder, weights.lexically_relative(root).string()},
                         {"tokenizer", tokenizer.lexically_relative(root).string()}});
}

}  // namespace

std::string textClassIn(const std::string& folder) {
    if (!isFileIn(folder, kConfigFile)) {
        return {};
    }
    const std::string name =
        architectureIn(settingsIn(folder, kConfigFile, fs::path(folder).filename().string()));
    const Network* known = networkOf(name);
    return known && known->isTextEncoder() ? name : std::string();
}

/// A folder with one text encoder in the layout of transformers, as Llama is published.
const Layout& transformers() {
    static const Layout layout{.name = "transformers",
                               .component = kTextFolder,
                               .kind = "text_encoder",
                               .use = phrase("choose it in Load text encoders, or as fourth text "
                                             "encoder in Load checkpoint"),
                               .detect = detectTransformers,
                               .open = openTransformers};
    return layout;
}

}  // namespace lowtide::models
