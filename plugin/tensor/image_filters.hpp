#pragma once
// Filters over whole images: sharpened as Pillow does, in the colours of others as scikit-image
// and Reinhard do.

#include <ATen/core/Tensor.h>

namespace lowtide::tensor {

/// sRGB images [B, 3, H, W] in 0..1 as CIE L*a*b* (D65): L in 0..100. Source: image/
/// colour_difference, scikit-image's rgb2lab.
[[nodiscard]] at::Tensor labOf(const at::Tensor& pixels);

/// The way back, cut to 0..1. Source: scikit-image's lab2rgb.
[[nodiscard]] at::Tensor rgbOf(const at::Tensor& lab);

/// An image [1, 3, H, W] in 0..1 with the histogram of `reference` [1, 3, h, w] in every channel.
/// Levels in between are interpolated, so that an image that is not rounded remains so. Source:
/// scikit-image's match_histograms; 8-bit images agree with it to one level. Synchronises with the
/// device once per channel and image.
[[nodiscard]] at::Tensor histogramMatched(const at::Tensor& pixels, const at::Tensor& reference);

/// The same with the reference's mean and standard deviation in each channel of CIE L*a*b* (D65).
/// A channel without any deviation is moved only. Source: Reinhard et al. 2001, in the colour space
/// of scikit-image's rgb2lab.
[[nodiscard]] at::Tensor statisticsMatched(const at::Tensor& pixels, const at::Tensor& reference);

struct UnsharpMask {
    double radius = 2;     ///< standard deviation of the blur, in pixels
    double percent = 150;  ///< of the difference to the blurred image that is added
    double threshold = 3;  ///< levels of 255; smaller differences are left alone
};

/// Images [B, C, H, W] in 0..1 with their edges made stronger. The blur keeps whole levels, as
/// Pillow's does; the result is not rounded. Source: Pillow 13 UnsharpMask.c and BoxBlur.c (three
/// box blurs); 8-bit images agree with it to one level.
[[nodiscard]] at::Tensor sharpened(const at::Tensor& pixels, const UnsharpMask& mask);

}  // namespace lowtide::tensor
