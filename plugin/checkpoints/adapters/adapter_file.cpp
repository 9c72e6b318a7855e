#include "plugin/checkpoints/adapters/adapter_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/adapters/foreign_file.hpp"
#include "plugin/checkpoints/adapters/layer_groups.hpp"
#include "plugin/checkpoints/adapters/peft_config.hpp"
#include "plugin/checkpoints/single_file/tensor_values.hpp"
#include "plugin/checkpoints/weight_map.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace lowtide::models {

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
                    "the alpha of " + quotedName(layer.name) + " is no number",
                    "get the file again");
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
void readConfigBeside(const std::string& path, AdapterFile& file) {
    const bool isPeft =
        std::all_of(file.layers.begin(), file.layers.end(), [](const AdapterLayer& layer) {
            return layer.name.starts_with(kPeftNames);
        });
    const std::string beside =
        (std::filesystem::path(path).parent_path() / kPeftConfigFile).string();
    std::error_code ignored;
    if (!isPeft || !std::filesystem::exists(beside, ignored)) {
        return;
    }
    const files::InputFile input(beside);
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
                    what + ", " + quotedName(layer.onInputKey) + ": is " + formatNumber(flag) +
                        ", neither 0 nor 1",
                    "get the file again");
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
                        file.what + ", " + quotedName(keys[i]) + ": is no finite number",
                        "get the file again");
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
        readConfigBeside(path, file);
    }
    if (stampOf(path) != header.map.files.front()) {
        throw Error(ErrorKind::Corrupt,
                    file.what + " was changed while it was read",
                    "wait until it is complete, then try again");
    }
    return file;
}

}  // namespace lowtide::models
