#include "plugin/tensor/image_filters.hpp"

#include "plugin/base/error.hpp"
#include "plugin/image/colours.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::tensor {

/// Values in 0..1 as levels 0..255 in f64. What is a level of an 8-bit image but for the accuracy
/// of f32 is that whole number.
[[nodiscard]] at::Tensor levelsOf(const at::Tensor& values);

at::Tensor levelsOf(const at::Tensor& values) {
    constexpr double kAccuracy = 1e-3;
    const at::Tensor levels = values.to(at::kDouble).mul_(255);
    const at::Tensor whole = at::round(levels);
    const at::Tensor rest = whole - levels;
    return levels + rest * (rest * rest < kAccuracy * kAccuracy);
}

namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

constexpr std::array<double, 3> kWhite = {0.95047, 1, 1.08883};
constexpr Matrix kXyzFromRgb = {{{0.412453, 0.357580, 0.180423},
                                 {0.212671, 0.715160, 0.072169},
                                 {0.019334, 0.119193, 0.950227}}};
/// Its inverse.
constexpr Matrix kRgbFromXyz = {{{3.2404813432005266, -1.5371515162713185, -0.49853632616888777},
                                 {-0.9692549499965682, 1.8759900014898907, 0.04155592655829284},
                                 {0.05564663913517716, -0.20404133836651123, 1.0573110696453443}}};

/// [B, 3, H, W] -> [B, H, W].
at::Tensor channel(const at::Tensor& pixels, int64_t index) {
    return pixels.select(1, index);
}

/// [B, H, W] each -> [B, 3, H, W].
at::Tensor joined(const std::array<at::Tensor, 3>& channels) {
    return at::cat({channels[0].unsqueeze(1), channels[1].unsqueeze(1), channels[2].unsqueeze(1)},
                   1);
}

at::Tensor combined(const at::Tensor& pixels, const std::array<double, 3>& fractions) {
    return (channel(pixels, 0) * fractions[0])
        .add_(channel(pixels, 1), fractions[1])
        .add_(channel(pixels, 2), fractions[2]);
}

/// `below` up to the bound, `above` beyond it; both are finite everywhere. ATen's where, abs and
/// logical_not know no tensors that are shapes alone.
at::Tensor piecewise(const at::Tensor& values,
                     double bound,
                     const at::Tensor& below,
                     const at::Tensor& above) {
    return below * (values <= bound) + above * (values > bound);
}

at::Tensor linear(const at::Tensor& pixels) {
    return piecewise(pixels, 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055).pow_(2.4));
}

at::Tensor encoded(const at::Tensor& values) {
    return piecewise(
        values, 0.0031308, values * 12.92, values.clamp_min(0).pow_(1 / 2.4) * 1.055 - 0.055);
}

at::Tensor curve(const at::Tensor& fractions) {
    return piecewise(
        fractions, 0.008856, fractions * 7.787 + 16.0 / 116, fractions.clamp_min(0).pow_(1.0 / 3));
}

at::Tensor uncurved(const at::Tensor& values) {
    return piecewise(values, 0.2068966, (values - 16.0 / 116) / 7.787, values.pow(3));
}

}  // namespace

at::Tensor labOf(const at::Tensor& pixels) {
    const at::Tensor light = linear(pixels);
    const auto weight = [&](size_t row) {
        return curve(combined(light, kXyzFromRgb[row]).div_(kWhite[row]));
    };
    const at::Tensor x = weight(0);
    const at::Tensor y = weight(1);
    const at::Tensor z = weight(2);
    return joined({y * 116 - 16, (x - y) * 500, (y - z) * 200});
}

at::Tensor rgbOf(const at::Tensor& lab) {
    const at::Tensor y = (channel(lab, 0) + 16) / 116;
    const at::Tensor x = channel(lab, 1) / 500 + y;
    const at::Tensor z = (y - channel(lab, 2) / 200).clamp_min_(0);
    const at::Tensor xyz = joined({uncurved(x) * kWhite[0], uncurved(y), uncurved(z) * kWhite[2]});
    std::array<at::Tensor, 3> rgb;
    for (size_t row = 0; row < rgb.size(); ++row) {
        rgb[row] = combined(xyz, kRgbFromXyz[row]);
    }
    return encoded(joined(rgb)).clamp_(0, 1);
}

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
    if (levels.is_meta()) {  // a dry run has nothing to count
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
    const at::Tensor weight = levels - below;
    const at::Tensor position = below.to(at::kLong).flatten();
    const auto at = [&](int64_t more) {
        return at::gather(table, 0, position + more).view(levels.sizes());
    };
    return at::lerp(at(0), at(1), weight).div_(kLevels - 1);
}

at::Tensor meanOf(const at::Tensor& lab) {
    return lab.mean(at::IntArrayRef{2, 3}, true);
}

/// The deviation of the images' channels themselves, not a sample's: [B, 3, 1, 1].
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

namespace {

constexpr int kBoxBlurs = 3;
constexpr float kOne = 1 << 24;  ///< of Pillow's fixed point

/// Radius of a box that blurs like a gaussian when it is used three times; its fraction is the
/// weight of the pixels at its ends. In f32, as Pillow has it. Source: Gwosdek et al. 2011.
float boxRadius(double radius) {
    const auto deviation = static_cast<float>(radius);
    const float variance = deviation * deviation / kBoxBlurs;
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
        for (int blur = 0; blur < kBoxBlurs; ++blur) {
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
