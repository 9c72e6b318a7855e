#include "plugin/models/convert/convert_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/single_file/component_maps.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

namespace lowtide::models {

namespace {

constexpr const char* kDenoiserFolder = "unet";

bool hasAll(const WeightMap& map, const std::string& prefix, auto... names) {
    return (map.tensors.contains(prefix + names) && ...);
}

/// The prefix of the denoiser's names; nothing where there is none.
std::optional<std::string> denoiserPrefix(const WeightMap& map) {
    for (const std::string& prefix : {std::string(kLdmUNet), std::string()}) {
        if (hasAll(map, prefix, "input_blocks.0.0.weight", "out.2.weight", "time_embed.0.weight") ||
            hasAll(map,
                   prefix,
                   "conv_in.weight",
                   "conv_out.weight",
                   "time_embedding.linear_1.weight")) {
            return prefix;
        }
    }
    return std::nullopt;
}

ConvertSource openSource(const CheckpointPath& checkpoint) {
    std::error_code ignored;
    if (std::filesystem::is_directory(checkpoint.path, ignored)) {
        return {.weights = {.map = openWeights(
                                checkpoint.path, kDenoiserFolder, "diffusion_pytorch_model"),
                            .metadata = {}},
                .role = kDenoiserFolder,
                .what = std::string("the ") + kDenoiserFolder + " of " + checkpoint.name,
                .prefix = {}};
    }
    return {.weights = openWeightFile(checkpoint.path),
            .role = "checkpoint",
            .what = checkpoint.name,
            .prefix = {}};
}

void requireRowMajor(const ConvertSource& source) {
    for (const auto& [name, place] : source.weights.map.tensors) {
        if (!place.isRowMajor) {
            throw Error(ErrorKind::Unsupported,
                        source.what + ": " + quotedName(name) + " is not stored row by row",
                        "load and save it as safetensors first");
        }
    }
}

}  // namespace

std::vector<const NamedPlace*> ConvertSource::tensors() const {
    std::vector<const NamedPlace*> all;
    for (const NamedPlace& tensor : weights.map.tensors) {
        all.push_back(&tensor);
    }
    const auto placeOf = [](const NamedPlace* tensor) {
        return std::tuple(
            tensor->second.file, tensor->second.offset, std::string_view(tensor->first));
    };
    std::sort(all.begin(), all.end(), [&](const NamedPlace* a, const NamedPlace* b) {
        return placeOf(a) < placeOf(b);
    });
    return all;
}

ConvertSource openConvertSource(const CheckpointPath& checkpoint) {
    ConvertSource source = openSource(checkpoint);
    const WeightMap& map = source.weights.map;
    const std::optional<std::string> prefix = denoiserPrefix(map);
    if (!prefix) {
        throw Error(ErrorKind::Unsupported,
                    source.what +
                        " holds no denoiser of Stable Diffusion 1.x, 2.x or XL: none of its " +
                        std::to_string(map.tensors.size()) +
                        " tensors is model.diffusion_model.out.2.weight, out.2.weight or "
                        "conv_out.weight beside those that belong to it",
                    "choose a checkpoint, or a file of its denoiser; lowtide check says what a "
                    "file is",
                    "checkpoint");
    }
    requireRowMajor(source);
    source.prefix = *prefix;
    const bool isXl = hasAll(map, *prefix, "label_emb.0.0.weight") ||
                      hasAll(map, *prefix, "add_embedding.linear_1.weight");
    source.architecture = isXl ? "sdxl" : "sd1";
    return source;
}

}  // namespace lowtide::models
