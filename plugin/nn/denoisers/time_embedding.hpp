#pragma once

#include "plugin/nn/blocks/layers.hpp"
#include "plugin/nn/denoisers/unet2d_config.hpp"

#include <optional>

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

}  // namespace lowtide::models
