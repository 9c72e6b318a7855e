#include "plugin/base/error.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/kernels_meta.hpp"
#include "plugin/tensor/resample_filter.hpp"
#include "plugin/tensor/separable_resample.hpp"

#include <ATen/ATen.h>

#include <algorithm>

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

/// On a card products with a matrix of all weights are fast enough.
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

}  // namespace lowtide::tensor::kernels
