#include "plugin/models/blocks/rotary.hpp"

#include <ATen/ATen.h>

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
    const at::Tensor pairs = x.unflatten(-1, {-1, 2});
    const at::Tensor first = pairs.select(-1, 0);
    const at::Tensor second = pairs.select(-1, 1);
    at::Tensor result = at::empty_like(x);
    const at::Tensor target = result.unflatten(-1, {-1, 2});
    target.select(-1, 0).copy_((first * rotation.cosines).sub_(second * rotation.sines));
    target.select(-1, 1).copy_((first * rotation.sines).add_(second * rotation.cosines));
    return result;
}

}  // namespace lowtide::models
