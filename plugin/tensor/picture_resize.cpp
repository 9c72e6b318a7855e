#include "plugin/tensor/picture_resize.hpp"

#include "plugin/base/error.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/resample_filter.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::tensor {

namespace {

constexpr double kEightBitLevels = 255;
constexpr double kCoefficientUnit = 1 << 22;  ///< Pillow's weights are whole numbers of it
constexpr int64_t kRowsOfPicture = 2;
constexpr int64_t kColumnsOfPicture = 3;

/// Pillow's whole weights, [source, target]; sums of their products with levels are exact in f64.
at::Tensor wholeWeights(int64_t source, int64_t target, kernels::Resample filter) {
    at::Tensor matrix = at::zeros({source, target}, at::kDouble);
    double* values = matrix.mutable_data_ptr<double>();
    int64_t column = 0;
    forEachTarget(source, target, filter, [&](int64_t first, std::span<const double> weights) {
        for (size_t i = 0; i < weights.size(); ++i) {
            const double whole = weights[i] * kCoefficientUnit;
            values[(first + static_cast<int64_t>(i)) * target + column] =
                std::trunc(whole < 0 ? whole - 0.5 : whole + 0.5);
        }
        ++column;
    });
    return matrix;
}

/// Along the last axis.
at::Tensor resizedLevels(const at::Tensor& levels, int64_t target, kernels::Resample filter) {
    const at::Tensor weights =
        upload(wholeWeights(levels.size(kColumnsOfPicture), target, filter), levels.device());
    at::Tensor sums = at::matmul(levels, weights);
    return sums.add_(kCoefficientUnit / 2)
        .div_(kCoefficientUnit)
        .floor_()
        .clamp_(0, kEightBitLevels);
}

}  // namespace

at::Tensor resizedPicture(const at::Tensor& pixels,
                          int64_t height,
                          int64_t width,
                          kernels::Resample filter) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && height > 0 && width > 0);
    if (pixels.size(kRowsOfPicture) == height && pixels.size(kColumnsOfPicture) == width) {
        return pixels;
    }
    at::Tensor levels =
        (pixels * kEightBitLevels).round_().clamp_(0, kEightBitLevels).to(at::kDouble);
    const auto bring = [&](int64_t axis, int64_t length) {
        if (levels.size(axis) != length) {
            levels = resizedLevels(levels.transpose(axis, kColumnsOfPicture), length, filter)
                         .transpose(axis, kColumnsOfPicture);
        }
    };
    const int64_t rowsLess = levels.size(kRowsOfPicture) - height;
    if (rowsLess > 0 && rowsLess > 2 * (levels.size(kColumnsOfPicture) - width)) {
        bring(kRowsOfPicture, height);
        bring(kColumnsOfPicture, width);
    } else {
        bring(kColumnsOfPicture, width);
        bring(kRowsOfPicture, height);
    }
    return (levels.to(at::kFloat) / kEightBitLevels).contiguous();
}

}  // namespace lowtide::tensor
