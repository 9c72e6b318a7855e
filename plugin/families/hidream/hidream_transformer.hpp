#pragma once

#include "plugin/families/hidream/hidream_blocks.hpp"
#include "plugin/memory/resolve_precision.hpp"
#include "plugin/nn/denoisers/denoiser_parts.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// What a call reads in addition to latents and time, in the type of the network.
struct HiDreamInputs {
    at::Tensor t5;        ///< [N, S, t5Width]
    at::Tensor language;  ///< [N, states, T, languageWidth]
    at::Tensor pooled;    ///< [N, pooledWidth]
};

/// The transformer of HiDream-I1. Source: Cai et al. 2025; diffusers 0.42.1
/// HiDreamImageTransformer2DModel. The tree is made from headers; weights are read through the
/// forward.
class HiDreamTransformer {
public:
    /// `role`: of the component.
    HiDreamTransformer(HiDreamConfig config, const WeightMap& weights, std::string_view role);

    [[nodiscard]] const HiDreamConfig& config() const { return config_; }

    [[nodiscard]] const std::shared_ptr<const memory::ComponentTree>& tree() const { return tree_; }

    /// Tokens of a latent [h, w]: those of its patches, and where it is no square what fills it up.
    [[nodiscard]] int64_t tokensOf(int64_t height, int64_t width) const;

    /// Raw prediction, whose sign is the opposite of a flow's; where the step is decided as
    /// partial, what the blocks behind the first one make comes from its cache. Shapes: latents [N,
    /// in, h, w] on the forward's device, their sides multiples of the patch, tokensOf() at most
    /// mostTokens; timestep 0-d, int64 or f32 on the CPU; result [N, out, h, w] f32.
    [[nodiscard]] at::Tensor predict(Forward& forward,
                                     const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const HiDreamInputs& inputs,
                                     const sampling::StepInfo& step = {}) const;

private:
    struct DoubleLayer {
        std::optional<Linear> language;  ///< none in the last layer of all
        HiDreamDoubleBlock block;
    };

    struct SingleLayer {
        std::optional<Linear> language;  ///< as there
        HiDreamSingleBlock block;
    };

    struct Layers {
        Linear patches;
        VectorEmbedding time;
        VectorEmbedding pooled;
        Linear t5;
        Linear lastLanguage;  ///< of the last layer, with which every forward begins
        std::vector<DoubleLayer> doubles;
        std::vector<SingleLayer> singles;
        Linear outputModulation;
        Linear output;

        Layers(NetworkBuilder& builder, const HiDreamConfig& config);
    };

    struct Texts;

    /// [N, in, h, w] -> [N, tokens, width].
    [[nodiscard]] at::Tensor patchesOf(Forward& forward, const at::Tensor& latents) const;
    [[nodiscard]] HiDreamContext contextFor(const at::Tensor& latents,
                                            int64_t texts,
                                            at::Tensor time) const;
    /// The language model's states for a layer, [N, T, width].
    [[nodiscard]] at::Tensor languageOf(Forward& forward,
                                        const Linear& projection,
                                        const HiDreamInputs& inputs,
                                        int64_t layer) const;
    /// The image's tokens through all blocks behind the first one.
    [[nodiscard]] at::Tensor throughRest(Forward& forward,
                                         at::Tensor hidden,
                                         Texts& texts,
                                         const HiDreamContext& context) const;

    HiDreamConfig config_;
    std::shared_ptr<const memory::ComponentTree> tree_;
    std::unique_ptr<const Layers> layers_;
};

/// What HiDream-I1 states of precision: f32 as files have it; bf16 with the gates of experts, time
/// and norms in f32.
[[nodiscard]] const memory::FamilyPrecision& hidreamPrecisions();

}  // namespace lowtide::models
