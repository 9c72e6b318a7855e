#pragma once
// What denoisers share: embeddings of the time, norms that it moves, gated feeds, latents as
// patches.

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// Sine and cosine of `values` (f32 [N] on the CPU) at `width` / 2 frequencies: [N, width] on the
/// CPU. `frequencyShift` as diffusers' freq_shift. Source: diffusers get_timestep_embedding.
[[nodiscard]] at::Tensor sinusoids(const at::Tensor& values,
                                   int64_t width,
                                   bool cosineFirst,
                                   double frequencyShift);

/// Of one timestep (0-d, int64 or f32 on the CPU, used unrounded), once for every picture: [count,
/// channels of level 0] on the CPU.
[[nodiscard]] at::Tensor timeSinusoids(const at::Tensor& timestep,
                                       int64_t count,
                                       const UNet2DConfig& config);

/// Guidance (f32 [N] on the CPU, cfg - 1) for networks that embed it: [N, width] on the CPU.
/// Source: diffusers get_guidance_scale_embedding.
[[nodiscard]] at::Tensor guidanceSinusoids(const at::Tensor& guidance, int64_t width);

/// What a network adds to its time: a pooled text beside sinusoids of numbers. Source: diffusers
/// UNet2DConditionModel with addition_embed_type "text_time".
struct AddedEmbedding {
    Linear inner;
    Linear outer;

    AddedEmbedding(NetworkBuilder& builder, const UNet2DConfig& config);
    /// [N, addedWidth] -> [N, timeWidth].
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& added) const;
};

/// The timestep, and where the network wants it the guidance, as a vector for every resnet.
struct TimeEmbedding {
    std::optional<Linear> guidance;
    Linear inner;
    Linear outer;
    std::optional<AddedEmbedding> addition;

    TimeEmbedding(NetworkBuilder& builder, const UNet2DConfig& config);
    /// steps [N, channels of level 0], guidanceSteps [N, guidanceWidth] or undefined, added [N,
    /// addedWidth] or undefined -> [N, timeWidth] after the activation that all resnets apply
    /// first.
    [[nodiscard]] at::Tensor apply(Pass& pass,
                                   const at::Tensor& steps,
                                   const at::Tensor& guidanceSteps,
                                   const at::Tensor& added) const;
};

/// Two layers that make a vector of a network's width of a number's sinusoids, or of a pooled text.
/// Source: diffusers TimestepEmbedding.
struct VectorEmbedding {
    Linear inner;
    Linear outer;

    VectorEmbedding(NetworkBuilder& builder, const std::string& name, int64_t in, int64_t width);
    /// x [N, in] -> [N, width].
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x) const;
};

// What transformers do to their tokens by the time: norms that are moved and scaled, sums that are
// weighed. A few thousand tokens at a time, so that what is wider is never held for all.

inline constexpr int64_t kTokensAtOnce = 4096;

/// Does `work(first, count)` for some thousand of all tokens at a time.
template <class Work>
void forTokens(int64_t all, const Work& work) {
    for (int64_t first = 0; first < all; first += kTokensAtOnce) {
        work(first, std::min(kTokensAtOnce, all - first));
    }
}

/// norm(part) factor + shift in f32, of a part of the tokens; shift and factor [N, 1, width].
[[nodiscard]] at::Tensor modulatedPart(const at::Tensor& part,
                                       const at::Tensor& shift,
                                       const at::Tensor& factor,
                                       double epsilon);
/// norm(hidden) (1 + scale) + shift in f32, as `hidden` [N, T, width] is; shift and scale [N, 1,
/// width].
[[nodiscard]] at::Tensor modulatedNorm(const at::Tensor& hidden,
                                       const at::Tensor& shift,
                                       const at::Tensor& scale,
                                       double epsilon);
/// What a layer makes of the time [N, width], for norms and sums: `count` parts, each [N, 1, width]
/// f32.
[[nodiscard]] std::vector<at::Tensor> modulationsOf(Pass& pass,
                                                    const Linear& modulation,
                                                    const at::Tensor& time,
                                                    int64_t count);
/// hidden += gate * added, in f32; gate [N, 1, width].
void addGated(const at::Tensor& hidden, const at::Tensor& added, const at::Tensor& gate);

/// silu(w1 x) * w3 x, through w2: one leaf. Source: Shazeer 2020, eq. 6; diffusers 0.42.1,
/// FeedForward of transformer_z_image.py.
struct SwiGluFeed {
    memory::LeafId leaf = 0;

    SwiGluFeed(NetworkBuilder& builder, const std::string& name, int64_t width, int64_t inner);
    /// x [..., width].
    [[nodiscard]] at::Tensor apply(Pass& pass, const at::Tensor& x) const;
};

/// Error{InvalidInput} on "latent" for a part of a picture, where prompts are restricted to one,
/// that is no whole patches.
void requireWholePatches(const at::Tensor& latents, int64_t patch);

/// Squares of `patch` numbers a side of latents [N, C, h, w]: [N, T, patch * patch * C], a square's
/// numbers by row, column, channel. Both sides are multiples of the patch.
[[nodiscard]] at::Tensor patchNumbers(const at::Tensor& latents, int64_t patch);

/// The other way, in f32, of the first tokens: latents of `height` and `width`.
[[nodiscard]] at::Tensor fromPatchNumbers(const at::Tensor& tokens,
                                          int64_t patch,
                                          int64_t height,
                                          int64_t width);

}  // namespace lowtide::models
