#include "plugin/nn/blocks/rotary.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr double kRotaryBase = 10000;

/// Angles [T, width / 2] at `places` f64 [T] of one axis.
at::Tensor anglesAt(const at::Tensor& places, int64_t width, double base) {
    const at::Tensor exponents = at::arange(0, width, 2, at::kDouble) / width;
    return at::outer(places, at::pow(base, exponents).reciprocal_());
}

at::Tensor anglesOf(const RotaryAxis& axis) {
    return anglesAt(at::arange(axis.count, at::kDouble), axis.width, kRotaryBase);
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

Rotation placedRotation(const at::Tensor& places, at::IntArrayRef widths, double base) {
    std::vector<at::Tensor> parts;
    for (size_t i = 0; i < widths.size(); ++i) {
        parts.push_back(anglesAt(places.select(1, static_cast<int64_t>(i)), widths[i], base));
    }
    const at::Tensor angles = at::cat(parts, -1).to(at::kFloat).unsqueeze(0).unsqueeze(2);
    return {.cosines = angles.cos(), .sines = angles.sin()};
}

namespace {

/// Numbers of a head that are turned together, as two views.
using Pairs = std::pair<at::Tensor, at::Tensor>;

/// `pairsOf(part)` gives those of a part of the tokens.
template <class PairsOf>
at::Tensor turned(const at::Tensor& x, const Rotation& rotation, const PairsOf& pairsOf) {
    constexpr int64_t kTokensAtOnce = 4096;  // products in f32 beside the result stay small
    at::Tensor result = at::empty(x.sizes(), x.options());
    for (int64_t first = 0; first < x.size(1); first += kTokensAtOnce) {
        const int64_t count = std::min(kTokensAtOnce, x.size(1) - first);
        const Pairs from = pairsOf(x.narrow(1, first, count));
        const Pairs to = pairsOf(result.narrow(1, first, count));
        const at::Tensor cosines = rotation.cosines.narrow(1, first, count);
        const at::Tensor sines = rotation.sines.narrow(1, first, count);
        to.first.copy_((from.first * cosines).sub_(from.second * sines));
        to.second.copy_((from.first * sines).add_(from.second * cosines));
    }
    return result;
}

}  // namespace

at::Tensor rotated(const at::Tensor& x, const Rotation& rotation) {
    return turned(x, rotation, [](const at::Tensor& part) {
        const at::Tensor pairs = part.unflatten(-1, {-1, 2});
        return Pairs(pairs.select(-1, 0), pairs.select(-1, 1));
    });
}

at::Tensor rotatedHalves(const at::Tensor& x, const Rotation& rotation) {
    return turned(x, rotation, [](const at::Tensor& part) {
        const int64_t half = part.size(-1) / 2;
        return Pairs(part.narrow(-1, 0, half), part.narrow(-1, half, half));
    });
}

}  // namespace lowtide::models
