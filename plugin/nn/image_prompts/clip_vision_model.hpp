#pragma once

#include "plugin/nn/blocks/clip_layer.hpp"
#include "plugin/nn/image_prompts/clip_vision_config.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// What is taken of the tower.
enum class ClipVisionState : uint8_t {
    Pooled,      ///< the normed first state, projected: [N, projectionWidth]
    Penultimate  ///< the states before the last layer as they are: [N, 1 + patches^2, width]
};

/// CLIP's tower for pictures. Source: Radford et al. 2021; transformers 5.23
/// CLIPVisionModelWithProjection. Layers behind the state that is taken are no part of it. The tree
/// is made from headers; weights are read through the pass.
class ClipVisionModel {
public:
    /// Keys may begin with "vision_model." or not. `role`: of the component.
    ClipVisionModel(const ClipVisionConfig& config,
                    const WeightMap& weights,
                    std::string_view role,
                    ClipVisionState state);

    [[nodiscard]] const ClipVisionConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// What encode() gives for `count` pictures.
    [[nodiscard]] Shape shapeFor(int64_t count) const;
    /// pixels [N, 3, imageSize, imageSize] as clipPixels() makes them, on the pass's device -> the
    /// state, f32. One pass.
    [[nodiscard]] at::Tensor encode(Pass& pass, const at::Tensor& pixels) const;

private:
    struct Layers {
        memory::LeafId embeddings;
        LayerNorm inputNorm;
        std::vector<ClipLayer> layers;
        std::optional<LayerNorm> outputNorm;
        std::optional<Linear> projection;

        Layers(NetworkBuilder& builder,
               const std::string& prefix,
               const ClipVisionConfig& config,
               ClipVisionState state);
    };

    [[nodiscard]] at::Tensor embedded(Pass& pass, const at::Tensor& pixels) const;

    ClipVisionConfig config_;
    ClipVisionState state_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
