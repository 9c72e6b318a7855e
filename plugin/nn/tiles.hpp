#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace lowtide::models {

/// Decodes `latents` [1, C, h, w] in overlapping tiles with blended seams. `tilePixels` is rounded
/// down to a multiple of four times `downsampling`; a picture that fits one tile is decoded whole,
/// and with 0 every picture. The pixels differ from those of the whole picture. Sizes and seams are
/// those of diffusers 0.42.1 AutoencoderKL._tiled_decode (overlap a quarter); unlike there all
/// tiles have one size and are spread evenly, where it ends with what is left, down to one latent
/// column.
[[nodiscard]] at::Tensor decodeInTiles(const at::Tensor& latents,
                                       int64_t tilePixels,
                                       int64_t downsampling,
                                       const std::function<at::Tensor(const at::Tensor&)>& decode);

/// Encodes `pixels` [1, 3, H, W] likewise, in tiles of `tilePixels`, to what `encode` gives for the
/// whole picture: [1, C, H / downsampling, W / downsampling]. The sides must be multiples of
/// `downsampling`.
[[nodiscard]] at::Tensor encodeInTiles(const at::Tensor& pixels,
                                       int64_t tilePixels,
                                       int64_t downsampling,
                                       const std::function<at::Tensor(const at::Tensor&)>& encode);

}  // namespace lowtide::models
