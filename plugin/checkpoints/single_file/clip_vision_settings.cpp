#include "plugin/checkpoints/single_file/clip_vision_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/shape.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::models {

namespace {

constexpr const char* kVisionPrefix = "vision_model.";
constexpr const char* kVisionProjection = "visual_projection.weight";

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

Json clipVisionSettings(const WeightMap& file) {
    const std::string prefix = kVisionPrefix;
    const Shape& patch = shapeIn(file, prefix + "embeddings.patch_embedding.weight", 4);
    const Shape& positions = shapeIn(file, prefix + "embeddings.position_embedding.weight", 2);
    const Shape& inner = shapeIn(file, prefix + "encoder.layers.0.mlp.fc1.weight", 2);
    const auto* known = std::find_if(std::begin(kKnownTowers),
                                     std::end(kKnownTowers),
                                     [&](const auto& tower) { return tower.width == patch[0]; });
    int64_t layers = 0;
    while (file.tensors.contains(prefix + "encoder.layers." + std::to_string(layers) +
                                 ".layer_norm1.weight")) {
        ++layers;
    }
    const auto side = static_cast<int64_t>(
        std::llround(std::sqrt(static_cast<double>(std::max<int64_t>(positions[0] - 1, 0)))));
    Json settings = {{"image_size", elementCount(Shape{side, patch[3]}).value_or(0)},
                     {"patch_size", patch[3]},
                     {"hidden_size", patch[0]},
                     {"intermediate_size", inner[0]},
                     {"num_hidden_layers", layers}};
    if (known != std::end(kKnownTowers)) {
        settings["num_attention_heads"] = known->heads;
        settings["hidden_act"] = known->activation;
    }
    if (file.tensors.contains(kVisionProjection)) {
        settings["projection_dim"] = shapeIn(file, kVisionProjection, 2)[0];
    }
    return settings;
}

void checkVisionHeads(const Json& settings, const std::string& what, const BesideFile& beside) {
    if (!settings.contains("num_attention_heads")) {
        throw Error(ErrorKind::Unsupported,
                    what + " is an image encoder " + settings.at("hidden_size").dump() +
                        " wide, whose number of heads no shape tells",
                    "state num_attention_heads and hidden_act of \"image_encoder\" in " +
                        beside.name + ", or put it into a folder with its config.json");
    }
}

}  // namespace lowtide::models
