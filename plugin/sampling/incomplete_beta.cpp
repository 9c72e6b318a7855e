#include "plugin/sampling/incomplete_beta.hpp"

#include <cmath>
#include <limits>

namespace lowtide::sampling {

namespace {

constexpr double kTiny = 1e-300;
constexpr double kPrecision = std::numeric_limits<double>::epsilon();
constexpr int kMostTerms = 500;
constexpr int kMostHalvings = 1100;  // enough to walk through all exponents of a double

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

/// I_x(a, b) on the side where the fraction converges fast.
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
    if (probability > 0.5) {
        return 1 - inverseIncompleteBeta(1 - probability, b, a);  // small shares keep all digits
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
