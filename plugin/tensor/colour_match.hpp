#pragma once

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// A picture [1, 3, H, W] in 0..1 with the histogram of `reference` [1, 3, h, w] in every channel.
/// Levels in between are interpolated, so that a picture that is not rounded stays so. Source:
/// scikit-image's match_histograms; 8-bit pictures agree with it to one level. Waits for the device
/// once a channel and picture.
[[nodiscard]] at::Tensor histogramMatched(const at::Tensor& pixels, const at::Tensor& reference);

/// The same with the reference's mean and standard deviation in each channel of CIE L*a*b* (D65).
/// A channel without any deviation is moved only. Source: Reinhard et al. 2001, in the colour space
/// of scikit-image's rgb2lab.
[[nodiscard]] at::Tensor statisticsMatched(const at::Tensor& pixels, const at::Tensor& reference);

}  // namespace lowtide::tensor
