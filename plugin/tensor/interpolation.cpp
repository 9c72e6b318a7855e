#include "plugin/tensor/interpolation.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::tensor::kernels {

namespace {

constexpr int64_t kHeight = 2;
constexpr int64_t kWidth = 3;
constexpr int64_t kChannels = 1;

/// One side of a picture before and after.
struct Side {
    int64_t axis;
    int64_t source;
    int64_t target;

    /// Source pixels for one target pixel; in f32, as the reference rounds it.
    [[nodiscard]] float scale() const {
        return static_cast<float>(source) / static_cast<float>(target);
    }

    /// The place of a target pixel's centre among the centres of source pixels.
    [[nodiscard]] float centre(int64_t pixel) const {
        return scale() * (static_cast<float>(pixel) + 0.5F) - 0.5F;
    }
};

/// Two neighbours and the second one's share.
struct Between {
    int64_t first;
    int64_t second;
    float share;
};

Between betweenAt(const Side& side, int64_t pixel) {
    const float place = std::max(side.centre(pixel), 0.0F);
    const auto first = std::min(static_cast<int64_t>(place), side.source - 1);
    return {.first = first,
            .second = std::min(first + 1, side.source - 1),
            .share = std::clamp(place - static_cast<float>(first), 0.0F, 1.0F)};
}

void fillNearest(float* row, const Side& side, int64_t pixel) {
    const float place = std::floor((static_cast<float>(pixel) + 0.5F) * side.scale());
    row[std::min(static_cast<int64_t>(place), side.source - 1)] = 1;
}

void fillBilinear(float* row, const Side& side, int64_t pixel) {
    const Between between = betweenAt(side, pixel);
    row[between.first] += 1 - between.share;
    row[between.second] += between.share;
}

/// Keys' cubic, at a distance below 2.
float cubic(float x) {
    constexpr float kA = -0.75F;
    x = std::abs(x);
    return x <= 1 ? ((kA + 2) * x - (kA + 3)) * x * x + 1
                  : ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
}

/// Pixels beyond the edge are those at the edge.
void fillBicubic(float* row, const Side& side, int64_t pixel) {
    const float place = side.centre(pixel);
    const float below = std::floor(place);
    for (int tap = -1; tap <= 2; ++tap) {
        const float near = below + static_cast<float>(tap);
        const auto source = std::clamp<int64_t>(static_cast<int64_t>(near), 0, side.source - 1);
        row[source] += cubic(place - near);
    }
}

void fillArea(float* row, const Side& side, int64_t pixel) {
    const int64_t first = pixel * side.source / side.target;
    const int64_t end = ((pixel + 1) * side.source + side.target - 1) / side.target;
    std::fill(row + first, row + end, 1 / static_cast<float>(end - first));
}

void fillFirst(float* row, const Side& side, int64_t pixel) {
    row[betweenAt(side, pixel).first] = 1;
}

void fillSecond(float* row, const Side& side, int64_t pixel) {
    row[betweenAt(side, pixel).second] = 1;
}

void fillShare(float* row, const Side& side, int64_t pixel) {
    *row = betweenAt(side, pixel).share;
}

using FillRow = void (*)(float* row, const Side& side, int64_t pixel);

/// [target, columns] where `x` lies, each row filled for its target pixel.
at::Tensor rowsBeside(const at::Tensor& x, const Side& side, int64_t columns, FillRow fill) {
    if (x.is_meta()) {
        return at::empty({side.target, columns}, x.options());
    }
    at::Tensor rows = at::zeros({side.target, columns}, at::kFloat);
    float* row = rows.mutable_data_ptr<float>();
    for (int64_t pixel = 0; pixel < side.target; ++pixel, row += columns) {
        fill(row, side, pixel);
    }
    return upload(rows, x.device());
}

/// Every target pixel as the sum of source pixels with the weights of its row.
at::Tensor weighed(const at::Tensor& x, const Side& side, FillRow fill) {
    const at::Tensor weights = rowsBeside(x, side, side.source, fill);
    return side.axis == kWidth ? at::matmul(x, weights.t()) : at::matmul(weights, x);
}

/// How much of `first` and of `second` goes into the arc between them: [B, 1, h, w] each. Masks
/// choose, since a choice by element would have no meaning on shapes alone.
std::pair<at::Tensor, at::Tensor> arcShares(const at::Tensor& first,
                                            const at::Tensor& second,
                                            const at::Tensor& share) {
    constexpr double kParallel = 1 - 1e-5;
    constexpr double kLeastSine = 1e-3;  // below that of kParallel
    constexpr double kLeastLength = 1e-18;
    const auto lengthOf = [](const at::Tensor& vectors) {
        return at::linalg_vector_norm(vectors, 2, at::IntArrayRef{kChannels}, true);
    };
    const at::Tensor firstLength = lengthOf(first);
    const at::Tensor secondLength = lengthOf(second);
    const at::Tensor rest = 1 - share;
    const at::Tensor length = firstLength * rest + secondLength * share;
    const at::Tensor firstSafe = firstLength.clamp_min(kLeastLength);
    const at::Tensor secondSafe = secondLength.clamp_min(kLeastLength);
    const at::Tensor firstUnit = first / firstSafe;
    const at::Tensor secondUnit = second / secondSafe;
    const at::Tensor cosine = (firstUnit * secondUnit).sum({kChannels}, true);
    // Its cosine alone would lose an angle's digits near 0 and pi (Kahan, "How Futile are Mindless
    // Assessments of Roundoff", section 12).
    const at::Tensor halfSine = lengthOf(firstUnit - secondUnit);
    const at::Tensor halfCosine = lengthOf(firstUnit + secondUnit);
    const at::Tensor angle = at::atan2(halfSine, halfCosine) * 2;
    const at::Tensor sine = (halfSine * halfCosine * 2 /
                             (halfSine.square() + halfCosine.square()).clamp_min(kLeastLength))
                                .clamp_min(kLeastSine);
    const at::Tensor isSame = cosine.gt(kParallel).to(at::kFloat);
    const at::Tensor isOpposite = cosine.lt(-kParallel).to(at::kFloat);
    const at::Tensor isArc = 1 - isSame - isOpposite;
    const auto onArc = [&](const at::Tensor& part, const at::Tensor& ownLength) {
        return (angle * part).sin() / sine * length / ownLength * isArc;
    };
    return {onArc(rest, firstSafe) + isSame + isOpposite * rest,
            onArc(share, secondSafe) + isOpposite * share};
}

at::Tensor bislerped(const at::Tensor& x, const Side& side) {
    const at::Tensor first = weighed(x, side, fillFirst);
    const at::Tensor second = weighed(x, side, fillSecond);
    at::Tensor share = rowsBeside(x, side, 1, fillShare);  // [target, 1]
    share = side.axis == kWidth ? share.view({1, 1, 1, -1}) : share.view({1, 1, -1, 1});
    const auto [ofFirst, ofSecond] = arcShares(first, second, share);
    return first * ofFirst + second * ofSecond;
}

at::Tensor along(const at::Tensor& x, const Side& side, Interpolation how) {
    switch (how) {
        case Interpolation::NearestExact:
            return weighed(x, side, fillNearest);
        case Interpolation::Bilinear:
            return weighed(x, side, fillBilinear);
        case Interpolation::Bicubic:
            return weighed(x, side, fillBicubic);
        case Interpolation::Area:
            return weighed(x, side, fillArea);
        case Interpolation::Bislerp:
            return bislerped(x, side);
    }
    LOWTIDE_ASSERT(false);
}

}  // namespace

at::Tensor interpolate(const at::Tensor& x, int64_t height, int64_t width, Interpolation how) {
    LOWTIDE_ASSERT(x.dim() == 4 && height > 0 && width > 0);
    at::Tensor result = x;
    for (const auto& [axis, target] : {std::pair(kWidth, width), std::pair(kHeight, height)}) {
        if (target != x.size(axis)) {
            result = along(result, {.axis = axis, .source = x.size(axis), .target = target}, how);
        }
    }
    return result.is_same(x) ? x.clone() : result;
}

}  // namespace lowtide::tensor::kernels
