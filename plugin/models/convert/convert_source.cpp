#include "plugin/models/convert/convert_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/blocks/weight_map.hpp"
#include "plugin/models/single_file/component_maps.hpp"
#include "plugin/models/single_file/hidream_settings.hpp"
#include "plugin/models/single_file/wan_names.hpp"
#include "plugin/models/single_file/zimage_settings.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

namespace lowtide::models {

namespace {

/// Of a folder in the diffusers layout, whichever is there.
constexpr const char* kDenoiserFolders[] = {"unet", "transformer"};

/// Where a denoiser's names begin, and what GGUF calls it.
struct FoundDenoiser {
    std::string prefix;
    const char* architecture;
};

bool hasAll(const WeightMap& map, const std::string& prefix, auto... names) {
    return (map.tensors.contains(prefix + names) && ...);
}

bool hasUNet(const WeightMap& map, const std::string& prefix) {
    return hasAll(map, prefix, "input_blocks.0.0.weight", "out.2.weight", "time_embed.0.weight") ||
           hasAll(
               map, prefix, "conv_in.weight", "conv_out.weight", "time_embedding.linear_1.weight");
}

std::optional<FoundDenoiser> denoiserIn(const WeightMap& map) {
    for (const std::string& prefix : {std::string(kLdmUNet), std::string()}) {
        if (hasUNet(map, prefix)) {
            const bool isXl = hasAll(map, prefix, "label_emb.0.0.weight") ||
                              hasAll(map, prefix, "add_embedding.linear_1.weight");
            return FoundDenoiser{prefix, isXl ? "sdxl" : "sd1"};
        }
    }
    if (const std::optional<std::string> hidream = hidreamPrefix(map)) {
        return FoundDenoiser{*hidream, "hidream"};
    }
    if (const std::optional<ZImageNaming> zimage = zimageNaming(map)) {
        return FoundDenoiser{zimage->prefix, "lumina2"};
    }
    const std::optional<WanNaming> wan = wanNaming(map);
    return wan ? std::optional(FoundDenoiser{wan->prefix, "wan"}) : std::nullopt;
}

const char* denoiserFolderOf(const std::string& folder) {
    std::error_code ignored;
    for (const char* name : kDenoiserFolders) {
        if (std::filesystem::is_directory(std::filesystem::path(folder) / name, ignored)) {
            return name;
        }
    }
    return kDenoiserFolders[0];
}

ConvertSource openSource(const CheckpointPath& checkpoint) {
    std::error_code ignored;
    const bool isFolder = std::filesystem::is_directory(checkpoint.path, ignored);
    const std::string network = isFolder ? networkFileIn(checkpoint.path) : checkpoint.path;
    if (network.empty()) {
        const char* const name = denoiserFolderOf(checkpoint.path);
        return {.weights = {.map = openWeights(checkpoint.path, name, "diffusion_pytorch_model"),
                            .metadata = {}},
                .role = name,
                .what = std::string("the ") + name + " of " + checkpoint.name,
                .prefix = {}};
    }
    return {.weights = openWeightFile(network),
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
    const std::optional<FoundDenoiser> denoiser = denoiserIn(map);
    if (!denoiser) {
        throw Error(
            ErrorKind::Unsupported,
            source.what +
                " holds no denoiser of Stable Diffusion 1.x, 2.x, XL, WAN, HiDream-I1 or Z-Image: "
                "none of its " +
                std::to_string(map.tensors.size()) +
                " tensors is model.diffusion_model.out.2.weight, out.2.weight, conv_out.weight, "
                "head.modulation, caption_projection.0.linear.weight or x_pad_token beside those "
                "that belong to it",
            "choose a checkpoint, or a file of its denoiser; lowtide check says what a "
            "file is",
            "checkpoint");
    }
    requireRowMajor(source);
    source.prefix = denoiser->prefix;
    source.architecture = denoiser->architecture;
    return source;
}

}  // namespace lowtide::models
