#pragma once
// Vectors that denoisers make of the time, of numbers and of pooled texts.

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::models {

/// Sine and cosine of `values` (f32 [N] on the CPU) at `width` / 2 frequencies: [N, width] on the
/// CPU. `frequencyShift` as diffusers' freq_shift. Source: diffusers get_timestep_embedding.
[[nodiscard]] at::Tensor sinusoids(const at::Tensor& values,
                                   int64_t width,
                                   bool cosineFirst,
                                   double frequencyShift);

/// Of one timestep (0-d, int64 or f32 on the CPU, used unrounded), once for every image: [count,
/// channels of level 0] on the CPU.
[[nodiscard]] at::Tensor timeSinusoids(const at::Tensor& timestep,
                                       int64_t count,
                                       const UNet2DConfig& config);

/// Guidance (f32 [N] on the CPU, cfg - 1) for networks that embed it: [N, width] on the CPU.
/// Source: diffusers get_guidance_scale_embedding.
[[nodiscard]] at::Tensor guidanceSinusoids(const at::Tensor& guidance, int64_t width);

/// Two layers that make a vector of a network's width of a number's sinusoids, or of a pooled text.
/// Source: diffusers TimestepEmbedding.
struct VectorEmbedding {
    Linear inner;
    Linear outer;

    VectorEmbedding(NetworkBuilder& builder, const std::string& name, int64_t in, int64_t width);
    /// x [N, in] -> [N, width].
    [[nodiscard]] at::Tensor apply(Forward& forward, const at::Tensor& x) const;
};

/// The timestep, and where the network wants it the guidance, as a vector for every resnet.
struct TimeEmbedding {
    std::optional<Linear> guidance;
    VectorEmbedding vector;
    /// Of a pooled text and sinusoids of numbers: addition_embed_type "text_time" of diffusers'
    /// UNet2DConditionModel.
    std::optional<VectorEmbedding> addition;

    TimeEmbedding(NetworkBuilder& builder, const UNet2DConfig& config);
    /// steps [N, channels of level 0], guidanceSteps [N, guidanceWidth] or undefined, added [N,
    /// addedWidth] or undefined -> [N, timeWidth] after the activation that all resnets apply
    /// first.
    [[nodiscard]] at::Tensor apply(Forward& forward,
                                   const at::Tensor& steps,
                                   const at::Tensor& guidanceSteps,
                                   const at::Tensor& added) const;
};

}  // namespace lowtide::models
