#include "plugin/tensor/colour_match.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/histogram_match.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/lab_pixels.hpp"
#include "plugin/tensor/whole_levels.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::tensor {

namespace {

constexpr int64_t kLevels = 256;
/// A channel of L*a*b* with less deviation is flat but for rounding.
constexpr double kFlat = 0.01;

/// Of one channel's levels [H, W], in host memory.
image::Histogram histogramOf(const at::Tensor& levels) {
    const at::Tensor counts = spill(at::histc(at::round(levels), kLevels, 0, kLevels - 1));
    image::Histogram histogram{};
    std::copy_n(counts.const_data_ptr<double>(), histogram.size(), histogram.begin());
    return histogram;
}

/// The level that each one becomes, [256] where the levels are.
at::Tensor tableFor(const at::Tensor& levels, const at::Tensor& reference) {
    if (levels.is_meta()) {  // a walk over shapes has nothing to count
        return at::empty({kLevels}, levels.options());
    }
    const auto table = image::matchedLevels(histogramOf(levels), histogramOf(reference));
    at::Tensor values = at::empty({kLevels}, at::kDouble);
    std::copy(table.begin(), table.end(), values.mutable_data_ptr<double>());
    return upload(values, levels.device());
}

at::Tensor matchedPlane(const at::Tensor& values, const at::Tensor& reference) {
    const at::Tensor levels = levelsOf(values);
    const at::Tensor table = tableFor(levels, levelsOf(reference));
    const at::Tensor below = levels.floor().clamp_(0, kLevels - 2);
    const at::Tensor share = levels - below;
    const at::Tensor place = below.to(at::kLong).flatten();
    const auto at = [&](int64_t more) {
        return at::gather(table, 0, place + more).view(levels.sizes());
    };
    return at::lerp(at(0), at(1), share).div_(kLevels - 1);
}

at::Tensor meanOf(const at::Tensor& lab) {
    return lab.mean(at::IntArrayRef{2, 3}, true);
}

/// Of the pictures' channels, not of a sample: [B, 3, 1, 1].
at::Tensor deviationOf(const at::Tensor& lab, const at::Tensor& mean) {
    return (lab - mean).square_().mean(at::IntArrayRef{2, 3}, true).sqrt_();
}

}  // namespace

at::Tensor histogramMatched(const at::Tensor& pixels, const at::Tensor& reference) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && pixels.size(1) == reference.size(1));
    at::Tensor result = at::empty_like(pixels);
    for (int64_t channel = 0; channel < pixels.size(1); ++channel) {
        result[0][channel].copy_(matchedPlane(pixels[0][channel], reference[0][channel]));
    }
    return result;
}

at::Tensor statisticsMatched(const at::Tensor& pixels, const at::Tensor& reference) {
    const at::Tensor wanted = labOf(reference);
    const at::Tensor wantedMean = meanOf(wanted);
    const at::Tensor wantedDeviation = deviationOf(wanted, wantedMean);
    const at::Tensor lab = labOf(pixels);
    const at::Tensor mean = meanOf(lab);
    const at::Tensor deviation = deviationOf(lab, mean);
    const at::Tensor factor =
        wantedDeviation / deviation.clamp_min(kFlat) * (deviation > kFlat) + (deviation <= kFlat);
    return rgbOf((lab - mean).mul_(factor).add_(wantedMean));
}

}  // namespace lowtide::tensor
