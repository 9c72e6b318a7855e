#include "plugin/checkpoints/adapters/adapter_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/adapter_key.hpp"
#include "plugin/checkpoints/adapters/adapter_layers.hpp"
#include "plugin/checkpoints/known_files.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What peft states about a component's layers in addition to their tensors.
struct PeftConfig {
    std::optional<double> alpha;
    std::optional<double> rank;
    std::vector<std::pair<std::string, double>> alphaPattern;  ///< by the end of a module's name
    std::vector<std::pair<std::string, double>> rankPattern;
    bool dividesByRoot = false;  ///< rslora: alpha / sqrt(rank)

    [[nodiscard]] std::optional<double> alphaOf(std::string_view module) const;
    /// As the config states; tensors take precedence where they have one.
    [[nodiscard]] std::optional<double> rankOf(std::string_view module) const;
};

/// adapter_config.json. Error{Corrupt} names `what` and the key; Error{Unsupported} names a pattern
/// that is no plain name.
[[nodiscard]] PeftConfig readPeftConfig(const Json& config, const std::string& what);

/// "lora_adapter_metadata" of diffusers' files.
struct PeftMetadata {
    std::map<std::string, PeftConfig, std::less<>> configs;  ///< by component
    std::optional<PeftConfig> ofAll;   ///< of files of one network, whose keys name none
    std::vector<std::string> unknown;  ///< what else its keys begin with
};

/// One JSON object with keys such as "unet.lora_alpha"; components as adapter_key knows them. The
/// same errors.
[[nodiscard]] PeftMetadata readPeftMetadata(std::string_view text, const std::string& what);

/// Error{Unsupported} states what a file is in which no tensor is an adapter's: a checkpoint, an
/// autoencoder, an embedding, a ControlNet, ...
void refuseForeignFile(const WeightMap& file);

/// Error{Unsupported} of a file with tensors of adapters, none of which names a layer.
[[noreturn]] void refuseWithoutLayers(const WeightMap& file);

namespace {

constexpr const char* kPeftMetadata = "lora_adapter_metadata";
constexpr const char* kPeftConfigFile = "adapter_config.json";
constexpr std::string_view kPeftNames = "base_model.model.";
constexpr Bytes kLargestPeftConfig = 4 * kMiB;

/// Alphas that are no tensors of the file.
void applyPeft(const PeftConfig& config, AdapterLayer& layer) {
    const bool hasAlpha = layer.kind != "scale" && layer.kind != "difference";
    const bool isOfUp = layer.isBias && layer.rank;
    if (!layer.alphaKey.empty() || !(hasAlpha || isOfUp)) {
        return;
    }
    layer.alpha = config.alphaOf(layer.module);
    const double rank = layer.rank ? static_cast<double>(*layer.rank)
                                   : config.rankOf(layer.module).value_or(layer.alpha.value_or(1));
    layer.divisor = config.dividesByRoot ? std::sqrt(rank) : rank;
    if (layer.alpha && !std::isfinite(*layer.alpha)) {
        throw Error(ErrorKind::Corrupt,
                    message("the alpha of {} is no number", quotedName(layer.name)),
                    message("get the file again"));
    }
}

/// A bias of lora_B goes with its weight: rank and alpha are those of both.
void joinBiases(std::vector<AdapterLayer>& layers) {
    const AdapterLayer* weight = nullptr;
    for (AdapterLayer& layer : layers) {  // a module's weight comes before its bias
        if (!layer.isBias) {
            weight = &layer;
        } else if (weight && weight->kind == "low_rank" && weight->module == layer.module &&
                   weight->component == layer.component &&
                   layer.factors.begin()->second.key.ends_with(".bias")) {
            layer.rank = weight->rank;
            layer.divisor = weight->divisor;
            layer.alphaKey = weight->alphaKey;
        }
    }
}

void applyMetadata(const PeftMetadata& metadata, AdapterFile& file) {
    for (AdapterLayer& layer : file.layers) {
        const auto config = metadata.configs.find(layer.component);
        if (config != metadata.configs.end()) {
            applyPeft(config->second, layer);
        } else if (metadata.ofAll) {
            applyPeft(*metadata.ofAll, layer);
        }
    }
    file.unknownComponents = metadata.unknown;
}

/// peft's own folder: the same for all layers.
void readSiblingConfig(const std::string& path, AdapterFile& file) {
    const bool isPeft =
        std::all_of(file.layers.begin(), file.layers.end(), [](const AdapterLayer& layer) {
            return layer.name.starts_with(kPeftNames);
        });
    const std::string configPath =
        (std::filesystem::path(path).parent_path() / kPeftConfigFile).string();
    std::error_code ignored;
    if (!isPeft || !std::filesystem::exists(configPath, ignored)) {
        return;
    }
    const files::InputFile input(configPath);
    const Json json = parseJson(input.readAll(kLargestPeftConfig), kPeftConfigFile);
    const PeftConfig config = readPeftConfig(json, kPeftConfigFile);
    for (AdapterLayer& layer : file.layers) {
        applyPeft(config, layer);
    }
    file.files.push_back(stampOf(input));
}

void takeOnInput(AdapterLayer& layer, double flag, const std::string& what) {
    if (flag != 0 && flag != 1) {
        throw Error(ErrorKind::Corrupt,
                    message("{}, {}: is {}, neither 0 nor 1",
                            what,
                            quotedName(layer.onInputKey),
                            formatNumber(flag)),
                    message("get the file again"));
    }
    if (flag == 1) {
        auto numbers = layer.factors.extract("on_output");
        numbers.key() = "on_input";
        layer.factors.insert(std::move(numbers));
    }
}

void readNumbers(const WeightMap& map, AdapterFile& file) {
    std::vector<std::string> keys;
    for (const AdapterLayer& layer : file.layers) {
        for (const std::string* key : {&layer.alphaKey, &layer.onInputKey}) {
            if (!key->empty()) {
                keys.push_back(*key);
            }
        }
    }
    const std::vector<double> values = readScalars(map, keys);
    for (size_t i = 0; i < keys.size(); ++i) {
        if (std::isnan(values[i])) {
            throw Error(ErrorKind::Corrupt,
                        message("{}, {}: is no finite number", file.what, quotedName(keys[i])),
                        message("get the file again"));
        }
    }
    size_t next = 0;
    for (AdapterLayer& layer : file.layers) {
        if (!layer.alphaKey.empty()) {
            layer.alpha = values[next++];
        }
        if (!layer.onInputKey.empty()) {
            takeOnInput(layer, values[next++], file.what);
        }
    }
}

}  // namespace

AdapterFile readAdapterHeader(const WeightFileHeader& header) {
    refuseForeignFile(header.map);
    AdapterFile file{
        .what = header.map.what, .files = header.map.files, .layers = {}, .unread = {}};
    file.layers = LayerGroups(header.map).takeLayers(file.unread);
    if (file.layers.empty()) {
        refuseWithoutLayers(header.map);
    }
    joinBiases(file.layers);
    const auto metadata = header.metadata.find(kPeftMetadata);
    if (metadata != header.metadata.end()) {
        applyMetadata(readPeftMetadata(metadata->second, file.what + ", " + kPeftMetadata), file);
    }
    return file;
}

AdapterFile openAdapterFile(const std::string& path) {
    const WeightFileHeader header = openWeightFile(path);
    AdapterFile file = readAdapterHeader(header);
    readNumbers(header.map, file);
    if (!header.metadata.contains(kPeftMetadata)) {
        readSiblingConfig(path, file);
    }
    if (stampOf(path) != header.map.files.front()) {
        throw Error(ErrorKind::Corrupt,
                    message("{} was changed while it was read", file.what),
                    message("wait until it is complete, then try again"));
    }
    return file;
}

namespace {

using Patterns = std::vector<std::pair<std::string, double>>;

/// peft's patterns are regular expressions; those that tools write are names.
std::string plainName(std::string_view pattern, const std::string& what) {
    constexpr std::string_view kOperators = "*+?()[]{}|\\^$";
    std::string name;
    const std::string_view whole = pattern;
    if (pattern.starts_with('^')) {
        pattern.remove_prefix(1);
    }
    if (pattern.ends_with('$')) {
        pattern.remove_suffix(1);
    }
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '.') {
            continue;  // an escaped dot
        }
        if (kOperators.find(pattern[i]) != kOperators.npos) {
            throw Error(
                ErrorKind::Unsupported,
                message(
                    "{}: the pattern {} is a regular expression; only names of modules are read",
                    what,
                    quotedName(whole)),
                message("write the modules' names, or save the adapter with alphas of its own"));
        }
        name += pattern[i];
    }
    return name;
}

Patterns patternsIn(const JsonReader& reader, const char* key) {
    Patterns patterns;
    const Json* const member = reader.member(key);
    if (!member || member->is_null()) {
        return patterns;
    }
    const std::string what = reader.what() + ", " + key;
    const JsonReader values(*member, what);
    for (const auto& [pattern, value] : member->items()) {
        patterns.emplace_back(plainName(pattern, what), values.number(pattern.c_str()).value_or(0));
    }
    return patterns;
}

std::optional<double> positive(std::optional<double> value, const JsonReader& reader) {
    if (value && (!std::isfinite(*value) || *value <= 0)) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: the rank is {}", reader.what(), formatNumber(*value)),
                    message("get the file again"));
    }
    return value;
}

std::optional<double> matching(const Patterns& patterns, std::string_view module) {
    for (const auto& [name, value] : patterns) {
        const bool isEnd = module.ends_with(name);
        if (isEnd &&
            (module.size() == name.size() || module[module.size() - name.size() - 1] == '.')) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<double> PeftConfig::alphaOf(std::string_view module) const {
    const std::optional<double> own = matching(alphaPattern, module);
    return own ? own : alpha;
}

std::optional<double> PeftConfig::rankOf(std::string_view module) const {
    const std::optional<double> own = matching(rankPattern, module);
    return own ? own : rank;
}

PeftConfig readPeftConfig(const Json& config, const std::string& what) {
    const JsonReader reader(config, what);
    const std::optional<double> ofLora = reader.number("lora_alpha");
    PeftConfig read{.alpha = ofLora ? ofLora : reader.number("alpha"),
                    .rank = positive(reader.number("r"), reader),
                    .alphaPattern = patternsIn(reader, "alpha_pattern"),
                    .rankPattern = patternsIn(reader, "rank_pattern"),
                    .dividesByRoot = reader.boolean("use_rslora").value_or(false)};
    for (const auto& [name, rank] : read.rankPattern) {
        (void)positive(rank, reader);
    }
    return read;
}

PeftMetadata readPeftMetadata(std::string_view text, const std::string& what) {
    const Json all = parseJson(text, what);
    const JsonReader reader(all, what);
    PeftMetadata metadata;
    Json ofAll = Json::object();
    std::map<std::string_view, Json> objects;  // by component
    std::set<std::string> unknown;
    for (const auto& [key, value] : all.items()) {
        const size_t dot = key.find('.');
        const std::string_view component = adapterComponentOf(key);
        if (dot == key.npos) {
            ofAll[key] = value;
        } else if (component.empty()) {
            unknown.insert(key.substr(0, dot));
        } else {
            objects.try_emplace(component, Json::object()).first->second[key.substr(dot + 1)] =
                value;
        }
    }
    if (!ofAll.empty()) {
        metadata.ofAll = readPeftConfig(ofAll, what);
    }
    for (const auto& [component, own] : objects) {
        metadata.configs.emplace(component, readPeftConfig(own, what));
    }
    metadata.unknown.assign(unknown.begin(), unknown.end());
    return metadata;
}

namespace {

/// Files that users may take for an adapter: a part of a name that only such files have.
constexpr std::pair<std::string_view, Phrase> kWholeNetworks[] = {
    {"lora_controlnet", phrase("a Control-LoRA, which is a ControlNet")},
    {"control_model.", phrase("a ControlNet")},
    {"controlnet_cond_embedding.", phrase("a ControlNet")},
    {"model.diffusion_model.", phrase("a whole checkpoint")},
    {"first_stage_model.", phrase("an autoencoder (VAE)")},
    {"decoder.mid", phrase("an autoencoder (VAE)")},
    {"down_blocks.", phrase("a whole denoiser (UNet)")},
    {"input_blocks.", phrase("a whole denoiser (UNet)")},
};

std::vector<std::string> namesIn(const WeightMap& file) {
    std::vector<std::string> names;
    for (const auto& [name, location] : file.tensors) {
        names.push_back(name);
    }
    return names;
}

[[noreturn]] void refuseAs(const WeightMap& file, const Message& seen) {
    throw Error(ErrorKind::Unsupported,
                message("{} is no adapter of weights (LoRA): {}", file.what, seen),
                message("choose a LoRA, LoCon, LoHa, LoKr or DoRA"));
}

}  // namespace

void refuseForeignFile(const WeightMap& file) {
    const bool isControl = file.tensors.contains("lora_controlnet");
    const bool isAdapter = std::any_of(file.tensors.begin(),
                                       file.tensors.end(),
                                       [](const auto& each) { return isOfAdapter(each.first); });
    if (isAdapter && !isControl) {
        return;
    }
    if (file.tensors.empty()) {
        refuseAs(file,
                 message("there are no tensors at its top; IP-Adapters that torch.save wrote look "
                         "like that"));
    }
    for (const auto& [part, what] : kWholeNetworks) {
        for (const auto& [name, location] : file.tensors) {
            if (name.find(part) != name.npos) {
                refuseAs(file, message("it is {}", what));
            }
        }
    }
    const std::optional<KnownFile> known = knownByNames(file);
    refuseAs(file,
             known ? message("it is of the kind {}", known->family)
                   : message("its tensors are {}", listSome(namesIn(file))));
}

void refuseWithoutLayers(const WeightMap& file) {
    refuseAs(file,
             message("none of its tensors belongs to a layer that is known: {}",
                     listSome(namesIn(file))));
}

}  // namespace lowtide::models
