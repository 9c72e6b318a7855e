#include "plugin/checkpoints/convert/convert_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/weight_map.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <tuple>

namespace lowtide::models {

namespace {

/// Of a folder in the diffusers layout, whichever is there.
constexpr const char* kDenoiserFolders[] = {"unet", "transformer"};

/// A denoiser that a file holds, and how it names it.
struct FoundDenoiser {
    const Network& network;
    NetworkNaming naming;
};

std::optional<FoundDenoiser> denoiserIn(const WeightMap& map) {
    for (const Network* network : networks()) {
        if (auto naming = network->isDenoiser() ? network->find(map) : std::nullopt) {
            return FoundDenoiser{*network, *std::move(naming)};
        }
    }
    return std::nullopt;
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
                .what = message("the {} of {}", name, checkpoint.name),
                .prefix = {}};
    }
    return {.weights = openWeightFile(network),
            .role = "checkpoint",
            .what = Message(checkpoint.name),
            .prefix = {}};
}

void requireRowMajor(const ConvertSource& source) {
    for (const auto& [name, location] : source.weights.map.tensors) {
        if (!location.isRowMajor) {
            throw Error(ErrorKind::Unsupported,
                        message("{}: {} is not stored row by row", source.what, quotedName(name)),
                        message("load and save it as safetensors first"));
        }
    }
}

}  // namespace

std::vector<const NamedLocation*> ConvertSource::tensors() const {
    std::vector<const NamedLocation*> all;
    for (const NamedLocation& tensor : weights.map.tensors) {
        all.push_back(&tensor);
    }
    const auto locationOf = [](const NamedLocation* tensor) {
        return std::tuple(
            tensor->second.file, tensor->second.offset, std::string_view(tensor->first));
    };
    std::sort(all.begin(), all.end(), [&](const NamedLocation* a, const NamedLocation* b) {
        return locationOf(a) < locationOf(b);
    });
    return all;
}

ConvertSource openConvertSource(const CheckpointPath& checkpoint) {
    ConvertSource source = openSource(checkpoint);
    const WeightMap& map = source.weights.map;
    const std::optional<FoundDenoiser> denoiser = denoiserIn(map);
    if (!denoiser) {
        throw Error(ErrorKind::Unsupported,
                    message("{} holds no denoiser that is built ({}): none of its {} tensors is "
                            "one of {} with those that belong to it",
                            source.what,
                            ofNetworks(&Network::models, &Network::isDenoiser),
                            map.tensors.size(),
                            ofNetworks(&Network::evidence, &Network::isDenoiser)),
                    message("choose a checkpoint, or a file of its denoiser; lowtide check reports "
                            "what a file is"),
                    "checkpoint");
    }
    requireRowMajor(source);
    source.prefix = denoiser->naming.prefix;
    source.architecture = denoiser->naming.architecture;
    source.precise = denoiser->network.precise;
    return source;
}

}  // namespace lowtide::models
