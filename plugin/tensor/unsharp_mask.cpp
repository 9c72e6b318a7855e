#include "plugin/tensor/unsharp_mask.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/whole_levels.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::tensor {

namespace {

constexpr int kPasses = 3;
constexpr float kOne = 1 << 24;  ///< of Pillow's fixed point

/// Radius of a box that blurs like a gaussian when it is used three times; its fraction is the
/// weight of the pixels at its ends. In f32, as Pillow has it. Source: Gwosdek et al. 2011.
float boxRadius(double radius) {
    const auto deviation = static_cast<float>(radius);
    const float variance = deviation * deviation / kPasses;
    const auto length = static_cast<float>(std::sqrt(12.0 * static_cast<double>(variance) + 1.0));
    const auto whole = static_cast<float>(std::floor((static_cast<double>(length) - 1.0) / 2.0));
    float fraction = (2 * whole + 1) * (whole * (whole + 1) - 3 * variance);
    fraction /= 6 * (variance - (whole + 1) * (whole + 1));
    return whole + fraction;
}

/// A box blur along `axis` of levels [H, W], with the border repeated, rounded to whole levels.
at::Tensor boxBlurred(const at::Tensor& levels, int64_t axis, float radius) {
    const auto reach = static_cast<int64_t>(radius);
    const double weight = std::floor(kOne / (radius * 2 + 1));
    const double endWeight = std::floor((kOne - static_cast<double>(2 * reach + 1) * weight) / 2);
    const int64_t count = levels.size(axis);
    std::vector<int64_t> border = levels.sizes().vec();
    border[static_cast<size_t>(axis)] = reach + 1;
    const at::Tensor wide = at::cat({levels.narrow(axis, 0, 1).expand(border),
                                     levels,
                                     levels.narrow(axis, count - 1, 1).expand(border)},
                                    axis);
    // Sums of whole levels are exact in f64, in whatever order.
    const at::Tensor sums = at::cumsum(wide, axis);
    at::Tensor sum = sums.narrow(axis, 2 * reach + 1, count) - sums.narrow(axis, 0, count);
    const at::Tensor ends = wide.narrow(axis, 0, count) + wide.narrow(axis, 2 * reach + 2, count);
    sum.mul_(weight / kOne).add_(ends, endWeight / kOne);
    return sum.add_(0.5).floor_();
}

at::Tensor gaussianBlurred(const at::Tensor& levels, double radius) {
    const float box = boxRadius(radius);
    at::Tensor blurred = levels;
    for (const int64_t axis : {int64_t{1}, int64_t{0}}) {
        for (int pass = 0; pass < kPasses; ++pass) {
            blurred = boxBlurred(blurred, axis, box);
        }
    }
    return blurred;
}

/// One channel [H, W].
at::Tensor sharpenedPlane(const at::Tensor& values, const UnsharpMask& mask) {
    const at::Tensor levels = levelsOf(values);
    const at::Tensor difference = levels - gaussianBlurred(levels, mask.radius);
    const at::Tensor isStrong = difference * difference > mask.threshold * mask.threshold;
    return (levels + difference * isStrong * (mask.percent / 100)).clamp_(0, 255).div_(255);
}

}  // namespace

at::Tensor sharpened(const at::Tensor& pixels, const UnsharpMask& mask) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && mask.radius >= 0);
    if (mask.radius == 0) {
        return pixels;
    }
    at::Tensor result = at::empty_like(pixels);
    for (int64_t i = 0; i < pixels.size(0); ++i) {
        for (int64_t channel = 0; channel < pixels.size(1); ++channel) {
            result[i][channel].copy_(sharpenedPlane(pixels[i][channel], mask));
        }
    }
    return result;
}

}  // namespace lowtide::tensor
