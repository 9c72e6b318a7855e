#pragma once
// The network of the toy, and its settings.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Settings of transformer/config.json.
struct ToyConfig {
    int64_t inChannels = 4;
    int64_t width = 128;
    int64_t layers = 2;       ///< num_layers
    int64_t textWidth = 128;  ///< text_width

    /// Sides of the square of a latent for one token.
    static constexpr int64_t kPatch = 2;
    static constexpr int64_t kHeadWidth = 32;

    [[nodiscard]] int64_t heads() const { return width / kHeadWidth; }

    [[nodiscard]] int64_t patchNumbers() const { return kPatch * kPatch * inChannels; }
};

/// Errors: Unsupported names another class, Corrupt the setting that cannot be.
[[nodiscard]] ToyConfig readToyConfig(const Json& json, const std::string& what);

/// Attention of the image to itself and the text, and a feed-forward layer, both scaled and weighed
/// by the time.
struct ToyBlock {
    Linear modulation;
    Attention attention;
    SwiGluFeed feed;

    ToyBlock(NetworkBuilder& builder, const std::string& name, const ToyConfig& config);
    /// hidden [N, T, width], in place; words [N, S, width], time [N, width].
    void apply(Forward& forward,
               const at::Tensor& hidden,
               const at::Tensor& words,
               const at::Tensor& time) const;
};

/// A transformer that no checkpoint was trained for. The tree is made from headers; weights are
/// read through the forward.
class ToyTransformer {
public:
    /// `role`: of the component.
    ToyTransformer(ToyConfig config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const ToyConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// The flow. Shapes: latents [N, C, h, w] on the forward's device, their sides multiples of the
    /// patch; timestep 0-d, int64 or f32 on the CPU, from 0 to 1000; text [1, T, textWidth], of all
    /// images; result as latents, f32.
    [[nodiscard]] at::Tensor predict(Forward& forward,
                                     const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const at::Tensor& text,
                                     const sampling::StepInfo& step = {}) const;

private:
    struct Layers {
        Linear patches;
        Linear words;
        Linear clockInner;
        Linear clockOuter;
        std::vector<ToyBlock> blocks;
        LayerNorm norm;
        Linear output;

        Layers(NetworkBuilder& builder, const ToyConfig& config);
    };

    ToyConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

}  // namespace lowtide::models
