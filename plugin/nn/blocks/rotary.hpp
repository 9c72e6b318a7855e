#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lowtide::models {

/// Turns by which pairs of a head's numbers are rotated for each token: cosines and sines, f32 [1,
/// T, 1, headWidth / 2].
struct Rotation {
    at::Tensor cosines;
    at::Tensor sines;
};

/// One axis of the places of tokens: how many there are along it, and numbers of a head for it.
struct RotaryAxis {
    int64_t count = 1;
    int64_t width = 2;
};

/// Of tokens on a grid, the last axis fastest, computed in f64 on the CPU.
/// Source: Su et al. 2021, eq. 15 for each axis; diffusers 0.42.1 WanRotaryPosEmbed.
[[nodiscard]] Rotation gridRotation(const std::vector<RotaryAxis>& axes);

/// Of tokens at `places`, f64 [T, axes], on the CPU; `widths` are numbers of a head for each axis.
/// Source: diffusers 0.42.1 ZImageTransformer2DModel, RopeEmbedder.
[[nodiscard]] Rotation placedRotation(const at::Tensor& places,
                                      at::IntArrayRef widths,
                                      double base);

/// Rotates pairs of x [B, T, H, headWidth] whose numbers are half a head apart, in f32; the result
/// has the type of `x`. Source: transformers 5.23, apply_rotary_pos_emb of LlamaAttention.
[[nodiscard]] at::Tensor rotatedHalves(const at::Tensor& x, const Rotation& rotation);

/// Rotates neighbouring pairs of x [B, T, H, headWidth], in f32; the result has the type of `x`.
[[nodiscard]] at::Tensor rotated(const at::Tensor& x, const Rotation& rotation);

}  // namespace lowtide::models
