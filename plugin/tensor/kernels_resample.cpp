#include "plugin/base/error.hpp"
#include "plugin/tensor/crossing.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lowtide::tensor::kernels {

namespace {

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

/// One row per target pixel: its weights over the source pixels, summing to 1. A shrinking filter
/// is widened by the scale, so that every source pixel counts.
at::Tensor weightsFor(int64_t source, int64_t target, Resample kind) {
    const Filter filter = filterFor(kind);
    const double scale = static_cast<double>(source) / static_cast<double>(target);
    const double stretch = std::max(scale, 1.0);
    const double reach = filter.reach * stretch;
    at::Tensor weights = at::zeros({target, source}, at::kFloat);
    float* row = weights.mutable_data_ptr<float>();
    std::vector<double> exact;
    for (int64_t i = 0; i < target; ++i, row += source) {
        const double center = (static_cast<double>(i) + 0.5) * scale;
        const auto first = std::max<int64_t>(static_cast<int64_t>(center - reach + 0.5), 0);
        const auto last = std::min<int64_t>(static_cast<int64_t>(center + reach + 0.5), source);
        exact.clear();
        double sum = 0;
        for (int64_t j = first; j < last; ++j) {
            exact.push_back(filter.weight((static_cast<double>(j) - center + 0.5) / stretch));
            sum += exact.back();
        }
        for (size_t j = 0; j < exact.size(); ++j) {
            row[first + static_cast<int64_t>(j)] = static_cast<float>(exact[j] / sum);
        }
    }
    return weights;
}

/// The same where the pixels are.
at::Tensor weightsBeside(const at::Tensor& pixels, int64_t source, int64_t target, Resample kind) {
    return pixels.is_meta() ? at::empty({target, source}, pixels.options())
                            : upload(weightsFor(source, target, kind), pixels.device());
}

}  // namespace

at::Tensor resample(const at::Tensor& pixels, int64_t height, int64_t width, Resample filter) {
    LOWTIDE_ASSERT(pixels.dim() == 4 && height > 0 && width > 0);
    at::Tensor result = pixels;
    if (width != pixels.size(3)) {
        const at::Tensor columns = weightsBeside(pixels, pixels.size(3), width, filter);
        // Pillow keeps 8 bits between its passes; without this clamp overshoot of the first would
        // reach the second.
        result = at::clamp(at::matmul(result, columns.t()), 0, 1);  // [B, 3, H, W] -> [B, 3, H, w]
    }
    if (height != pixels.size(2)) {
        const at::Tensor rows = weightsBeside(pixels, pixels.size(2), height, filter);
        result = at::matmul(rows, result);  // [B, 3, H, w] -> [B, 3, h, w]
    }
    return at::clamp(result, 0, 1);
}

}  // namespace lowtide::tensor::kernels
