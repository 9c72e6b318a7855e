#include "plugin/sampling/reference_math.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

namespace lowtide::sampling {

namespace {

at::Tensor single(float x) {
    return at::scalar_tensor(x, at::kFloat);
}

float valueOf(const at::Tensor& number) {
    return *number.const_data_ptr<float>();
}

}  // namespace

float logarithm(float x) {
    return valueOf(at::log(single(x)));
}

float exponential(float x) {
    return valueOf(at::exp(single(x)));
}

float exponentialMinusOne(float x) {
    return valueOf(at::expm1(single(x)));
}

float root(float x) {
    return valueOf(at::pow(single(x), 0.5));
}

namespace {

constexpr double kTiny = 1e-300;
constexpr double kPrecision = std::numeric_limits<double>::epsilon();
constexpr int kMostTerms = 500;
constexpr int kMostHalvings = 1100;  // enough to go through all exponents of a double

double awayFromZero(double x) {
    return std::abs(x) < kTiny ? kTiny : x;
}

/// Continued fraction of I_x(a, b), evaluated from the front (Lentz's method). Converges fast for
/// x < (a + 1) / (a + b + 2). Source: Abramowitz and Stegun, 26.5.8.
double continuedFraction(double x, double a, double b) {
    double numerator = 1;
    double denominator = 1 / awayFromZero(1 - (a + b) * x / (a + 1));
    double value = denominator;
    for (int m = 1; m < kMostTerms; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change = 1;
        for (const double term : {even, odd}) {
            denominator = 1 / awayFromZero(1 + term * denominator);
            numerator = awayFromZero(1 + term / numerator);
            change = denominator * numerator;
            value *= change;
        }
        if (std::abs(change - 1) < kPrecision) {
            break;
        }
    }
    return value;
}

/// I_x(a, b) for the end where the fraction converges fast.
double nearZero(double x, double a, double b) {
    const double logFront =
        std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
    return std::exp(logFront) * continuedFraction(x, a, b) / a;
}

}  // namespace

double incompleteBeta(double x, double a, double b) {
    if (x <= 0) {
        return 0;
    }
    if (x >= 1) {
        return 1;
    }
    return x < (a + 1) / (a + b + 2) ? nearZero(x, a, b) : 1 - nearZero(1 - x, b, a);
}

double inverseIncompleteBeta(double probability, double a, double b) {
    if (probability <= 0) {
        return 0;
    }
    if (probability == 0.5 && a == b) {
        return 0.5;  // by symmetry; bisection ends a bit away, and a level is rounded to another
    }
    if (probability > 0.5) {
        return 1 - inverseIncompleteBeta(1 - probability, b, a);  // small ones keep all digits
    }
    double low = 0;
    double high = 1;
    for (int i = 0; i < kMostHalvings; ++i) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) {
            break;  // neighbours: no double lies between them
        }
        (incompleteBeta(middle, a, b) < probability ? low : high) = middle;
    }
    return low + (high - low) / 2;
}

}  // namespace lowtide::sampling
