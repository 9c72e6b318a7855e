#include "plugin/tensor/lab_pixels.hpp"

#include <ATen/ATen.h>

#include <array>

namespace lowtide::tensor {

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

at::Tensor combined(const at::Tensor& pixels, const std::array<double, 3>& shares) {
    return (channel(pixels, 0) * shares[0])
        .add_(channel(pixels, 1), shares[1])
        .add_(channel(pixels, 2), shares[2]);
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

at::Tensor curve(const at::Tensor& shares) {
    return piecewise(
        shares, 0.008856, shares * 7.787 + 16.0 / 116, shares.clamp_min(0).pow_(1.0 / 3));
}

at::Tensor uncurved(const at::Tensor& values) {
    return piecewise(values, 0.2068966, (values - 16.0 / 116) / 7.787, values.pow(3));
}

}  // namespace

at::Tensor labOf(const at::Tensor& pixels) {
    const at::Tensor light = linear(pixels);
    const auto share = [&](size_t row) {
        return curve(combined(light, kXyzFromRgb[row]).div_(kWhite[row]));
    };
    const at::Tensor x = share(0);
    const at::Tensor y = share(1);
    const at::Tensor z = share(2);
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

}  // namespace lowtide::tensor
