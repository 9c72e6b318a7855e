#include "plugin/tensor/resample_filter.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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
