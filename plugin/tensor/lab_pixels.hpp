#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// sRGB pictures [B, 3, H, W] in 0..1 as CIE L*a*b* (D65): L in 0..100. Source: image/
/// colour_difference, scikit-image's rgb2lab.
[[nodiscard]] at::Tensor labOf(const at::Tensor& pixels);

/// The way back, cut to 0..1. Source: scikit-image's lab2rgb.
[[nodiscard]] at::Tensor rgbOf(const at::Tensor& lab);

}  // namespace lowtide::tensor
