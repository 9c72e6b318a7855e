#include "plugin/sampling/numpy_math.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::sampling::numpy {

namespace {

using Coefficients = std::array<float, 6>;

// Highest power first.
constexpr Coefficients kLogNumerator = {2.589979117907922693523e-02F,
                                        3.808837741388407920751e-01F,
                                        1.480000633576506585156e+00F,
                                        2.112677543073053063722e+00F,
                                        9.999999999999998702752e-01F,
                                        0.0F};
constexpr Coefficients kLogDenominator = {5.875095403124574342950e-03F,
                                          1.546476374983906719538e-01F,
                                          9.864942958519418960339e-01F,
                                          2.453006071784736363091e+00F,
                                          2.612677543073109236779e+00F,
                                          1.0F};
constexpr float kLogOfTwo = 0.693147180559945309417F;
constexpr float kSqrtHalf = 0.707106781186547524401F;

float horner(const Coefficients& coefficients, float x) {
    float value = coefficients[0];
    for (size_t i = 1; i < coefficients.size(); ++i) {
        value = std::fma(value, x, coefficients[i]);
    }
    return value;
}

}  // namespace

std::vector<double> linspace(double start, double stop, int64_t count) {
    std::vector<double> values(static_cast<size_t>(count), start);
    if (count < 2) {
        return values;
    }
    const double step = (stop - start) / static_cast<double>(count - 1);
    for (int64_t i = 0; i < count; ++i) {
        values[static_cast<size_t>(i)] = static_cast<double>(i) * step + start;
    }
    values.back() = stop;
    return values;
}

std::vector<double> fallingRange(double start, double step, int64_t limit) {
    const auto count = std::min(static_cast<int64_t>(std::ceil(start / step)), limit);
    const double delta = (start - step) - start;  // numpy derives it from the first two numbers
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) {
        values.push_back(i == 1 ? start - step : start + static_cast<double>(i) * delta);
    }
    return values;
}

double interpolate(double x, const std::vector<float>& table) {
    const auto last = static_cast<int64_t>(table.size()) - 1;
    if (x <= 0) {
        return table.front();
    }
    if (x >= static_cast<double>(last)) {
        return table.back();
    }
    const double left = std::floor(x);
    const auto index = static_cast<size_t>(left);
    const double low = table[index];
    const double slope = static_cast<double>(table[index + 1]) - low;
    return slope * (x - left) + low;
}

double roundHalfEven(double x) {
    return std::nearbyint(x);
}

float log(float x) {
    int exponent = 0;
    float mantissa = std::frexp(x, &exponent);
    if (mantissa <= kSqrtHalf) {
        mantissa *= 2;
        --exponent;
    }
    mantissa -= 1;
    const float quotient = horner(kLogNumerator, mantissa) / horner(kLogDenominator, mantissa);
    return std::fma(static_cast<float>(exponent), kLogOfTwo, quotient);
}

}  // namespace lowtide::sampling::numpy
