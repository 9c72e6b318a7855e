#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace lowtide::models {

/// Decodes `latents` [1, C, h, w] in overlapping tiles with blended seams. `tilePixels` is rounded
/// down to a multiple of four times `downsampling`; a picture that fits one tile is decoded whole.
/// The pixels differ from those of the whole picture. Source: diffusers 0.42.1
/// AutoencoderKL._tiled_decode (overlap a quarter).
[[nodiscard]] at::Tensor decodeInTiles(const at::Tensor& latents,
                                       int64_t tilePixels,
                                       int64_t downsampling,
                                       const std::function<at::Tensor(const at::Tensor&)>& decode);

}  // namespace lowtide::models
