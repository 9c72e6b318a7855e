#include "plugin/tensor/separable_resample.hpp"

#include "plugin/tensor/operator_registry.hpp"
#include "plugin/tensor/resample_filter.hpp"
#include "plugin/tensor/walk_meter.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>

namespace lowtide::tensor::own {

namespace {

using kernels::Resample;

constexpr int64_t kHeightAxis = 2;
constexpr int64_t kLeastProducts = 1 << 18;  ///< worth a thread of their own
constexpr int64_t kNumbersOfPlace = 2;       ///< f32 numbers that take the room of one int64

/// The pixels below each target pixel's filter: places [target], weights [target, most].
struct Taps {
    int64_t most = 0;
    at::Tensor places;
    at::Tensor weights;
};

Taps tapsFor(int64_t source, int64_t target, Resample filter) {
    Taps taps{.most = mostTaps(source, target, filter),
              .places = at::empty({target}, at::kLong),
              .weights = {}};
    taps.weights = at::zeros({target, taps.most}, at::kFloat);
    auto* place = taps.places.mutable_data_ptr<int64_t>();
    auto* weights = taps.weights.mutable_data_ptr<float>();
    forEachTarget(source, target, filter, [&](int64_t first, std::span<const double> exact) {
        // What lies behind the last source pixel has no weight.
        const int64_t begin = std::min(first, source - taps.most);
        *place++ = begin;
        std::transform(exact.begin(), exact.end(), weights + (first - begin), [](double weight) {
            return static_cast<float>(weight);
        });
        weights += taps.most;
    });
    return taps;
}

float clamped(float value) {
    return value < 0 ? 0 : value > 1 ? 1 : value;  // what is no number stays so
}

/// One row of pixels from another.
void resampleRow(const float* source, const Taps& taps, int64_t width, float* result) {
    const auto* places = taps.places.const_data_ptr<int64_t>();
    const auto* weights = taps.weights.const_data_ptr<float>();
    for (int64_t x = 0; x < width; ++x, weights += taps.most) {
        const float* below = source + places[x];
        float sum = 0;
        for (int64_t tap = 0; tap < taps.most; ++tap) {
            sum += weights[tap] * below[tap];
        }
        result[x] = clamped(sum);
    }
}

/// Row `y` of a result of `width` columns from the rows of its picture.
void mixRows(const float* picture, const Taps& taps, int64_t y, int64_t width, float* result) {
    const float* below = picture + taps.places.const_data_ptr<int64_t>()[y] * width;
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
                const float* picture = from + row / length * x.size(kHeightAxis) * width;
                mixRows(picture, taps, row % length, width, to + row * width);
            } else {
                resampleRow(from + row * x.size(3), taps, width, to + row * width);
            }
        }
    });
    return result;
}

}  // namespace

bool takesResampling(const at::Tensor& x) {
    const bool isCuda = x.is_cuda() || (x.is_meta() && WalkMeter::isOnCuda());
    return !isCuda && x.scalar_type() == at::kFloat;
}

at::Tensor resampledAxis(const at::Tensor& x, int64_t axis, int64_t length, Resample filter) {
    static const auto op = operatorOf("lowtide::resample_axis", &resampledAxisOnCpu);
    return op.call(x, axis, length, static_cast<int64_t>(filter));
}

int64_t resamplingScratch(int64_t source, int64_t target, Resample filter) {
    return target * (mostTaps(source, target, filter) + kNumbersOfPlace);
}

void addResampling(OperatorLibraries& libraries) {
    libraries.schemas.def("resample_axis(Tensor x, int axis, int length, int filter) -> Tensor");
    libraries.onCpu.impl("resample_axis", resampledAxisOnCpu);
}

}  // namespace lowtide::tensor::own
