#include "plugin/models/image_prompts/clip_vision_config.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/models/blocks/clip_layer.hpp"
#include "plugin/models/blocks/config_checks.hpp"
#include "plugin/models/blocks/network_builder.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kLargestImage = 1 << 12;
constexpr const char* kVisionPrefix = "vision_model.";

/// A tower by what its shapes tell, with what they do not.
struct KnownTower {
    int64_t width;
    int64_t heads;
    const char* activation;
};

constexpr KnownTower kKnownTowers[] = {
    {1024, 16, "quick_gelu"},  // ViT-L
    {1280, 16, "gelu"},        // ViT-H
    {1664, 16, "gelu"},        // ViT-bigG
};

const Shape& shapeIn(const WeightMap& file, const std::string& name, size_t dimensions) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.shape.size() != dimensions) {
        throw Error(ErrorKind::Unsupported,
                    file.what + " is no image encoder that is built: it has no tensor \"" + name +
                        "\" of " + std::to_string(dimensions) + " dimensions",
                    "choose a CLIP vision tower in the names of transformers (ViT-H or ViT-bigG)");
    }
    return found->second.shape;
}

}  // namespace

ClipVisionConfig readClipVisionConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    static const std::vector<FixedSetting> fixed = {{"num_channels", 3}};
    refuseOtherSettings(json, what, fixed);
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    const ClipVisionConfig defaults;
    const ClipVisionConfig config{
        .imageSize = number("image_size", defaults.imageSize, kLargestImage),
        .patchSize = number("patch_size", defaults.patchSize, kLargestImage),
        .width = number("hidden_size", defaults.width, kMostChannels),
        .innerWidth = number("intermediate_size", defaults.innerWidth, kMostChannels),
        .layers = number("num_hidden_layers", defaults.layers, kMostLayers),
        .heads = number("num_attention_heads", defaults.heads, kMostChannels),
        .projectionWidth = number("projection_dim", defaults.projectionWidth, kMostChannels),
        .epsilon = reader.number("layer_norm_eps").value_or(defaults.epsilon),
        .quickGelu = isQuickGelu(reader)};
    requireDivisible(reader, "num_attention_heads", config.width, config.heads);
    if (config.patches() < 1) {
        throw Error(ErrorKind::Corrupt,
                    what + ": patches of " + std::to_string(config.patchSize) +
                        " pixels do not fit into pictures of " + std::to_string(config.imageSize),
                    "get the image encoder again");
    }
    return config;
}

Json clipVisionSettings(const WeightMap& file) {
    const std::string prefix = kVisionPrefix;
    const Shape& patch = shapeIn(file, prefix + "embeddings.patch_embedding.weight", 4);
    const Shape& positions = shapeIn(file, prefix + "embeddings.position_embedding.weight", 2);
    const Shape& inner = shapeIn(file, prefix + "encoder.layers.0.mlp.fc1.weight", 2);
    const Shape& projection = shapeIn(file, "visual_projection.weight", 2);
    const auto* known = std::find_if(std::begin(kKnownTowers),
                                     std::end(kKnownTowers),
                                     [&](const auto& tower) { return tower.width == patch[0]; });
    if (known == std::end(kKnownTowers)) {
        throw Error(ErrorKind::Unsupported,
                    file.what + " is an image encoder " + std::to_string(patch[0]) +
                        " wide, whose number of heads no shape tells",
                    "put it into a folder with its config.json, and choose the folder");
    }
    int64_t layers = 0;
    while (file.tensors.contains(prefix + "encoder.layers." + std::to_string(layers) +
                                 ".layer_norm1.weight")) {
        ++layers;
    }
    const auto side = static_cast<int64_t>(
        std::llround(std::sqrt(static_cast<double>(std::max<int64_t>(positions[0] - 1, 0)))));
    return {{"image_size", side * patch[3]},
            {"patch_size", patch[3]},
            {"hidden_size", patch[0]},
            {"intermediate_size", inner[0]},
            {"num_hidden_layers", layers},
            {"num_attention_heads", known->heads},
            {"projection_dim", projection[0]},
            {"hidden_act", known->activation}};
}

}  // namespace lowtide::models
