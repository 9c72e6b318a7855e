#include "plugin/models/blocks/rotary.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr double kRotaryBase = 10000;

/// Angles [count, width / 2] of the places of one axis.
at::Tensor anglesOf(const RotaryAxis& axis) {
    const at::Tensor exponents = at::arange(0, axis.width, 2, at::kDouble) / axis.width;
    const at::Tensor frequencies = at::pow(kRotaryBase, exponents).reciprocal_();
    return at::outer(at::arange(axis.count, at::kDouble), frequencies);
}

}  // namespace

Rotation gridRotation(const std::vector<RotaryAxis>& axes) {
    std::vector<int64_t> grid;
    for (const RotaryAxis& axis : axes) {
        grid.push_back(axis.count);
    }
    std::vector<at::Tensor> parts;
    for (size_t i = 0; i < axes.size(); ++i) {
        std::vector<int64_t> place(axes.size() + 1, 1);
        place[i] = axes[i].count;
        place.back() = axes[i].width / 2;
        std::vector<int64_t> everywhere = grid;
        everywhere.push_back(axes[i].width / 2);
        parts.push_back(anglesOf(axes[i]).view(place).expand(everywhere));
    }
    const at::Tensor angles = at::cat(parts, -1).flatten(0, -2).unsqueeze(0).unsqueeze(2);
    return {.cosines = angles.cos().to(at::kFloat), .sines = angles.sin().to(at::kFloat)};
}

at::Tensor rotated(const at::Tensor& x, const Rotation& rotation) {
    constexpr int64_t kTokensAtOnce = 4096;  // products in f32 beside the result stay small
    at::Tensor result = at::empty(x.sizes(), x.options());
    const auto halves = [](const at::Tensor& whole, int64_t first, int64_t count) {
        const at::Tensor pairs = whole.narrow(1, first, count).unflatten(-1, {-1, 2});
        return std::pair(pairs.select(-1, 0), pairs.select(-1, 1));
    };
    for (int64_t first = 0; first < x.size(1); first += kTokensAtOnce) {
        const int64_t count = std::min(kTokensAtOnce, x.size(1) - first);
        const auto [even, odd] = halves(x, first, count);
        const auto [turnedEven, turnedOdd] = halves(result, first, count);
        const at::Tensor cosines = rotation.cosines.narrow(1, first, count);
        const at::Tensor sines = rotation.sines.narrow(1, first, count);
        turnedEven.copy_((even * cosines).sub_(odd * sines));
        turnedOdd.copy_((even * sines).add_(odd * cosines));
    }
    return result;
}

}  // namespace lowtide::models
