#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lowtide::models {

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
