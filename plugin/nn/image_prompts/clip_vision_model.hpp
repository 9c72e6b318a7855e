#pragma once
// CLIP's tower for images: its settings, the pixels that it reads, and the network.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/text/clip_text_model.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// What CLIP's tower reads of images [N, 3, H, W] in 0..1: the shorter edge becomes `side` pixels
/// long (bicubic, on levels of 8 bits), the middle is cut out, and mean and deviation of CLIP's
/// images become 0 and 1: [N, 3, side, side] f32. Source: transformers 5.23
/// CLIPImageProcessorPil.
[[nodiscard]] at::Tensor clipPixels(const at::Tensor& images, int64_t side);

/// Settings of image_encoder/config.json. Missing ones get the defaults of transformers'
/// CLIPVisionConfig.
struct ClipVisionConfig {
    int64_t imageSize = 224;  ///< pixels along a side of the square that it sees
    int64_t patchSize = 32;
    int64_t width = 768;
    int64_t innerWidth = 3072;
    int64_t layers = 12;
    int64_t heads = 12;
    int64_t projectionWidth = 512;
    double epsilon = 1e-5;
    bool quickGelu = true;

    [[nodiscard]] int64_t patches() const { return imageSize / patchSize; }  ///< along a side
};

/// Error{Corrupt} for impossible values, Error{Unsupported} for another activation.
[[nodiscard]] ClipVisionConfig readClipVisionConfig(const Json& json, const std::string& what);

/// What is taken of the tower.
enum class ClipVisionState : uint8_t {
    Pooled,      ///< the normed first state, projected: [N, projectionWidth]
    Penultimate  ///< the states before the last layer as they are: [N, 1 + patches^2, width]
};

/// CLIP's tower for images. Source: Radford et al. 2021; transformers 5.23
/// CLIPVisionModelWithProjection. Layers behind the state that is taken are no part of it. The tree
/// is made from headers; weights are read through the forward.
class ClipVisionModel {
public:
    /// Keys may begin with "vision_model." or not. `role`: of the component.
    ClipVisionModel(const ClipVisionConfig& config,
                    const WeightMap& weights,
                    std::string_view role,
                    ClipVisionState state);

    [[nodiscard]] const ClipVisionConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// What encode() gives for `count` images.
    [[nodiscard]] Shape shapeFor(int64_t count) const;
    /// pixels [N, 3, imageSize, imageSize] as clipPixels() makes them, on the forward's device ->
    /// the state, f32. One forward.
    [[nodiscard]] at::Tensor encode(Forward& forward, const at::Tensor& pixels) const;

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

    [[nodiscard]] at::Tensor embedded(Forward& forward, const at::Tensor& pixels) const;

    ClipVisionConfig config_;
    ClipVisionState state_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
