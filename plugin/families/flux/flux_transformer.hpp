#pragma once
// The network of FLUX.1, and its settings.

#include "plugin/base/json_fwd.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/blocks/attention.hpp"
#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/denoisers/denoiser_parts.hpp"
#include "plugin/nn/dit.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Settings of transformer/config.json. Missing ones get the defaults of diffusers'
/// FluxTransformer2DModel.
struct FluxConfig {
    int64_t inChannels = 64;    ///< of a token: those of a square of the latent
    int64_t doubleLayers = 19;  ///< num_layers: with weights of their own for the text
    int64_t singleLayers = 38;
    int64_t headWidth = 128;
    int64_t heads = 24;
    int64_t textWidth = 4096;   ///< joint_attention_dim
    int64_t pooledWidth = 768;  ///< pooled_projection_dim
    bool embedsGuidance = false;
    std::array<int64_t, 3> axes{16, 56, 56};  ///< axes_dims_rope: numbers of a head for each axis

    /// Sides of the square of a latent for one token.
    static constexpr int64_t kPatch = 2;

    [[nodiscard]] int64_t width() const { return heads * headWidth; }

    [[nodiscard]] int64_t latentChannels() const { return inChannels / (kPatch * kPatch); }
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] FluxConfig readFluxConfig(const Json& json, const std::string& what);

/// Queries, keys and values of one kind of tokens; queries and keys are normed head by head.
struct FluxProjections {
    Linear query;
    Linear key;
    Linear value;
    RmsNorm queryNorm;
    RmsNorm keyNorm;
};

/// The parts of a double block that only the text or only the image uses.
struct FluxStream {
    Linear modulation;
    FluxProjections projections;
    Linear out;
    Linear inner;
    Linear outer;
};

/// What is the same for all blocks.
struct FluxInputs {
    at::Tensor time;  ///< [N, width] behind its activation: time, guidance and pooled text
    Rotation rotation;
};

/// Attention of text and image to both, and a feed-forward layer each, all moved and weighed by
/// the time. Source: diffusers 0.42.1 FluxTransformerBlock.
struct FluxDoubleBlock {
    FluxStream image;
    FluxStream text;
    int64_t heads = 1;

    FluxDoubleBlock(NetworkBuilder& builder, const std::string& name, const FluxConfig& config);
    /// hidden [N, T, width] and texts [N, S, width], both in place.
    void apply(Forward& forward,
               const at::Tensor& hidden,
               const at::Tensor& texts,
               const FluxInputs& inputs) const;
};

/// Attention parallel to a feed-forward layer, of text and image in a row. Source: diffusers 0.42.1
/// FluxSingleTransformerBlock.
struct FluxSingleBlock {
    Linear modulation;
    FluxProjections projections;
    Linear inner;
    Linear out;
    int64_t heads = 1;

    FluxSingleBlock(NetworkBuilder& builder, const std::string& name, const FluxConfig& config);
    /// all [N, S + T, width], in place.
    void apply(Forward& forward, const at::Tensor& all, const FluxInputs& inputs) const;
};

/// What one prompt gives: states of its tokens [1, S, textWidth], a vector [1, pooledWidth], and
/// the guidance that the network was distilled for.
struct FluxTexts {
    at::Tensor states;
    at::Tensor pooled;
    double guidance = 0;
};

/// The transformer of FLUX.1. Source: diffusers 0.42.1 FluxTransformer2DModel. The tree is made
/// from headers; weights are read through the forward. Shift and scale of its last norm are leaves
/// of their own, since files have them in either order.
class FluxTransformer {
public:
    /// `role`: of the component.
    FluxTransformer(FluxConfig config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const FluxConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// The flow. Shapes: latents [N, C, h, w] on the forward's device, their sides multiples of the
    /// patch; timestep 0-d, int64 or f32 on the CPU, from 0 to 1000; texts of all images; result
    /// as latents, f32. If the step is partial, what the layers behind the first one make comes
    /// from its cache.
    [[nodiscard]] at::Tensor predict(Forward& forward,
                                     const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const FluxTexts& texts,
                                     const sampling::StepInfo& step = {}) const;

private:
    struct Layers {
        Linear patches;
        Linear text;
        VectorEmbedding time;
        std::optional<VectorEmbedding> guidance;
        VectorEmbedding pooled;
        std::vector<FluxDoubleBlock> doubles;
        std::vector<FluxSingleBlock> singles;
        Linear outputShift;
        Linear outputScale;
        Linear output;

        Layers(NetworkBuilder& builder, const FluxConfig& config);
    };

    /// [1, width] behind its activation, in the type in which the network computes.
    [[nodiscard]] at::Tensor timeOf(Forward& forward,
                                    const at::Tensor& timestep,
                                    const FluxTexts& texts) const;
    /// The image's tokens through all blocks behind the first one.
    [[nodiscard]] at::Tensor throughRest(Forward& forward,
                                         at::Tensor hidden,
                                         at::Tensor texts,
                                         const FluxInputs& inputs) const;

    FluxConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

/// What FLUX.1 states of precision: f32 as files have it; bf16 with the time and the norms of heads
/// in f32.
[[nodiscard]] const memory::FamilyPrecision& fluxPrecisions();

}  // namespace lowtide::models
