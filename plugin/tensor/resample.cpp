#include "plugin/tensor/resample.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/dry_run_meter.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/operator_registry.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace lowtide::tensor {

namespace {

using kernels::Resample;

double box(double x) {
    return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

/// Keys' cubic with a = -0.5.
double bicubic(double x) {
    constexpr double kA = -0.5;
    x = std::abs(x);
    if (x < 1.0) {
        return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1.0;
    }
    return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * kA : 0.0;
}

double sinc(double x) {
    x *= std::numbers::pi;
    return x == 0.0 ? 1.0 : std::sin(x) / x;
}

double lanczos(double x) {
    return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
}

struct Filter {
    double (*weight)(double);
    double reach;  ///< in source pixels at scale 1
};

Filter filterFor(Resample kind) {
    switch (kind) {
        case Resample::Area:
            return {box, 0.5};
        case Resample::Bicubic:
            return {bicubic, 2.0};
        case Resample::Lanczos:
            return {lanczos, 3.0};
    }
    LOWTIDE_ASSERT(false);
}

/// How much the filter is widened.
double stretchOf(int64_t source, int64_t target) {
    return std::max(static_cast<double>(source) / static_cast<double>(target), 1.0);
}

}  // namespace

int64_t mostTaps(int64_t source, int64_t target, Resample filter) {
    const double reach = filterFor(filter).reach * stretchOf(source, target);
    return std::min(static_cast<int64_t>(std::ceil(reach)) * 2 + 1, source);
}

void forEachTarget(int64_t source,
                   int64_t target,
                   Resample kind,
                   const std::function<void(int64_t, std::span<const double>)>& take) {
    const Filter filter = filterFor(kind);
    const double scale = static_cast<double>(source) / static_cast<double>(target);
    const double stretch = stretchOf(source, target);
    const double reach = filter.reach * stretch;
    std::vector<double> weights;
    for (int64_t i = 0; i < target; ++i) {
        const double center = (static_cast<double>(i) + 0.5) * scale;
        const auto first = std::max<int64_t>(static_cast<int64_t>(center - reach + 0.5), 0);
        const auto last = std::min<int64_t>(static_cast<int64_t>(center + reach + 0.5), source);
        weights.clear();
        double sum = 0;
        for (int64_t j = first; j < last; ++j) {
            weights.push_back(filter.weight((static_cast<double>(j) - center + 0.5) / stretch));
            sum += weights.back();
        }
        for (double& weight : weights) {
            weight /= sum;
        }
        take(first, weights);
    }
}

}  // namespace lowtide::tensor

namespace lowtide::tensor::own {

namespace {

using kernels::Resample;

constexpr int64_t kHeightAxis = 2;
constexpr int64_t kLeastProducts = 1 << 18;  ///< worth a thread of their own
constexpr int64_t kNumbersOfTap = 2;         ///< f32 numbers that take the space of one int64

/// The pixels below each target pixel's filter: indices [target], weights [target, most].
struct Taps {
    int64_t most = 0;
    at::Tensor positions;
    at::Tensor weights;
};

Taps tapsFor(int64_t source, int64_t target, Resample filter) {
    Taps taps{.most = mostTaps(source, target, filter),
              .positions = at::empty({target}, at::kLong),
              .weights = {}};
    taps.weights = at::zeros({target, taps.most}, at::kFloat);
    auto* found = taps.positions.mutable_data_ptr<int64_t>();
    auto* weights = taps.weights.mutable_data_ptr<float>();
    forEachTarget(source, target, filter, [&](int64_t first, std::span<const double> exact) {
        // What lies behind the last source pixel has no weight.
        const int64_t begin = std::min(first, source - taps.most);
        *found++ = begin;
        std::transform(exact.begin(), exact.end(), weights + (first - begin), [](double weight) {
            return static_cast<float>(weight);
        });
        weights += taps.most;
    });
    return taps;
}

float clamped(float value) {
    return value < 0 ? 0 : value > 1 ? 1 : value;  // NaN remains NaN
}

/// One row of pixels from another.
void resampleRow(const float* source, const Taps& taps, int64_t width, float* result) {
    const auto* positions = taps.positions.const_data_ptr<int64_t>();
    const auto* weights = taps.weights.const_data_ptr<float>();
    for (int64_t x = 0; x < width; ++x, weights += taps.most) {
        const float* below = source + positions[x];
        float sum = 0;
        for (int64_t tap = 0; tap < taps.most; ++tap) {
            sum += weights[tap] * below[tap];
        }
        result[x] = clamped(sum);
    }
}

/// Row `y` of a result of `width` columns from the rows of its image.
void mixRows(const float* image, const Taps& taps, int64_t y, int64_t width, float* result) {
    const float* below = image + taps.positions.const_data_ptr<int64_t>()[y] * width;
    const float* weights = taps.weights.const_data_ptr<float>() + y * taps.most;
    std::fill(result, result + width, 0.0F);
    for (int64_t tap = 0; tap < taps.most; ++tap, below += width) {
        for (int64_t x = 0; x < width; ++x) {
            result[x] += weights[tap] * below[x];
        }
    }
    std::transform(result, result + width, result, clamped);
}

at::Tensor resampledAxisOnCpu(const at::Tensor& given, int64_t axis, int64_t length, int64_t kind) {
    const at::Tensor x = given.contiguous();
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes[static_cast<size_t>(axis)] = length;
    at::Tensor result = at::empty(sizes, x.options());
    const Taps taps = tapsFor(x.size(axis), length, static_cast<Resample>(kind));
    const auto* from = x.const_data_ptr<float>();
    auto* to = result.mutable_data_ptr<float>();
    const int64_t width = result.size(3);
    const int64_t rows = result.numel() / width;
    const int64_t grain = std::max<int64_t>(1, kLeastProducts / (width * taps.most));
    at::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            if (axis == kHeightAxis) {
                const float* image = from + row / length * x.size(kHeightAxis) * width;
                mixRows(image, taps, row % length, width, to + row * width);
            } else {
                resampleRow(from + row * x.size(3), taps, width, to + row * width);
            }
        }
    });
    return result;
}

}  // namespace

bool takesResampling(const at::Tensor& x) {
    const bool isCuda = x.is_cuda() || (x.is_meta() && DryRunMeter::isOnCuda());
    return !isCuda && x.scalar_type() == at::kFloat;
}

at::Tensor resampledAxis(const at::Tensor& x, int64_t axis, int64_t length, Resample filter) {
    static const auto op = operatorOf("lowtide::resample_axis", &resampledAxisOnCpu);
    return op.call(x, axis, length, static_cast<int64_t>(filter));
}

int64_t resamplingScratch(int64_t source, int64_t target, Resample filter) {
    return target * (mostTaps(source, target, filter) + kNumbersOfTap);
}

void addResampling(OperatorLibraries& libraries) {
    libraries.schemas.def("resample_axis(Tensor x, int axis, int length, int filter) -> Tensor");
    libraries.onCpu.impl("resample_axis", resampledAxisOnCpu);
}

}  // namespace lowtide::tensor::own

namespace lowtide::tensor::kernels {

namespace {

constexpr int64_t kRowsAxis = 2;
constexpr int64_t kColumnsAxis = 3;

/// One row per target pixel: its weights over all source pixels.
at::Tensor matrixFor(int64_t source, int64_t target, Resample filter) {
    at::Tensor matrix = at::zeros({target, source}, at::kFloat);
    float* row = matrix.mutable_data_ptr<float>();
    forEachTarget(source, target, filter, [&](int64_t first, std::span<const double> weights) {
        std::transform(weights.begin(), weights.end(), row + first, [](double weight) {
            return static_cast<float>(weight);
        });
        row += source;
    });
    return matrix;
}

/// On a GPU products with a matrix of all weights are fast enough.
at::Tensor multipliedAxis(const at::Tensor& x, int64_t axis, int64_t length, Resample filter) {
    const at::Tensor weights = x.is_meta()
                                   ? at::empty({length, x.size(axis)}, x.options())
                                   : upload(matrixFor(x.size(axis), length, filter), x.device());
    return at::clamp(
        axis == kColumnsAxis ? at::matmul(x, weights.t()) : at::matmul(weights, x), 0, 1);
}

at::Tensor resampledAxis(const at::Tensor& x, int64_t axis, int64_t length, Resample filter) {
    if (x.size(axis) == length) {
        return x;
    }
    if (!own::takesResampling(x)) {
        return multipliedAxis(x, axis, length, filter);
    }
    return x.is_meta() ? meta::resampledAxis(x, axis, length, filter)
                       : own::resampledAxis(x, axis, length, filter);
}

}  // namespace

at::Tensor resample(const at::Tensor& pixels, int64_t height, int64_t width, Resample filter) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && height > 0 && width > 0);
    // Pillow keeps 8 bits between its passes; without the clamp of each, overshoot of the first
    // would reach the second.
    const at::Tensor wide = resampledAxis(pixels, kColumnsAxis, width, filter);
    const at::Tensor result = resampledAxis(wide, kRowsAxis, height, filter);
    return result.is_same(pixels) ? at::clamp(pixels, 0, 1) : result;
}

namespace {

constexpr int64_t kHeight = 2;
constexpr int64_t kWidth = 3;
constexpr int64_t kChannels = 1;

/// One side of an image before and after.
struct Side {
    int64_t axis;
    int64_t source;
    int64_t target;

    /// Source pixels for one target pixel; in f32, as the reference rounds it.
    [[nodiscard]] float scale() const {
        return static_cast<float>(source) / static_cast<float>(target);
    }

    /// The position of a target pixel's centre among the centres of source pixels.
    [[nodiscard]] float centre(int64_t pixel) const {
        return scale() * (static_cast<float>(pixel) + 0.5F) - 0.5F;
    }
};

/// Two neighbours and the second one's weight.
struct Between {
    int64_t first;
    int64_t second;
    float weight;
};

Between betweenAt(const Side& side, int64_t pixel) {
    const float found = std::max(side.centre(pixel), 0.0F);
    const auto first = std::min(static_cast<int64_t>(found), side.source - 1);
    return {.first = first,
            .second = std::min(first + 1, side.source - 1),
            .weight = std::clamp(found - static_cast<float>(first), 0.0F, 1.0F)};
}

void fillNearest(float* row, const Side& side, int64_t pixel) {
    const float found = std::floor((static_cast<float>(pixel) + 0.5F) * side.scale());
    row[std::min(static_cast<int64_t>(found), side.source - 1)] = 1;
}

void fillBilinear(float* row, const Side& side, int64_t pixel) {
    const Between between = betweenAt(side, pixel);
    row[between.first] += 1 - between.weight;
    row[between.second] += between.weight;
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
    const float found = side.centre(pixel);
    const float below = std::floor(found);
    for (int tap = -1; tap <= 2; ++tap) {
        const float near = below + static_cast<float>(tap);
        const auto source = std::clamp<int64_t>(static_cast<int64_t>(near), 0, side.source - 1);
        row[source] += cubic(found - near);
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

void fillFraction(float* row, const Side& side, int64_t pixel) {
    *row = betweenAt(side, pixel).weight;
}

using FillRow = void (*)(float* row, const Side& side, int64_t pixel);

/// [target, columns] where `x` lies, each row filled for its target pixel.
at::Tensor weightRows(const at::Tensor& x, const Side& side, int64_t columns, FillRow fill) {
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
    const at::Tensor weights = weightRows(x, side, side.source, fill);
    return side.axis == kWidth ? at::matmul(x, weights.t()) : at::matmul(weights, x);
}

/// How much of `first` and of `second` goes into the arc between them: [B, 1, h, w] each. Masks
/// choose, since a choice by element would have no meaning on shapes alone.
std::pair<at::Tensor, at::Tensor> arcFractions(const at::Tensor& first,
                                               const at::Tensor& second,
                                               const at::Tensor& weight) {
    constexpr double kParallel = 1 - 1e-5;
    constexpr double kLeastSine = 1e-3;  // below that of kParallel
    constexpr double kLeastLength = 1e-18;
    const auto lengthOf = [](const at::Tensor& vectors) {
        return at::linalg_vector_norm(vectors, 2, at::IntArrayRef{kChannels}, true);
    };
    const at::Tensor firstLength = lengthOf(first);
    const at::Tensor secondLength = lengthOf(second);
    const at::Tensor rest = 1 - weight;
    const at::Tensor length = firstLength * rest + secondLength * weight;
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
            onArc(weight, secondSafe) + isOpposite * weight};
}

at::Tensor bislerped(const at::Tensor& x, const Side& side) {
    const at::Tensor first = weighed(x, side, fillFirst);
    const at::Tensor second = weighed(x, side, fillSecond);
    at::Tensor weight = weightRows(x, side, 1, fillFraction);  // [target, 1]
    weight = side.axis == kWidth ? weight.view({1, 1, 1, -1}) : weight.view({1, 1, -1, 1});
    const auto [ofFirst, ofSecond] = arcFractions(first, second, weight);
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
