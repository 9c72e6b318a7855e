#include "plugin/image/colours.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace lowtide::image {

namespace {

double linearOf(double level) {
    const double value = level / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double labCurve(double fraction) {
    constexpr double kLinearBelow = 0.008856;
    return fraction > kLinearBelow ? std::cbrt(fraction) : 7.787 * fraction + 16.0 / 116.0;
}

constexpr double kFullCircle = 2 * std::numbers::pi;

double radians(double degrees) {
    return degrees * std::numbers::pi / 180;
}

/// 0..2 pi; 0 for a grey.
double hueOf(double a, double b) {
    if (a == 0 && b == 0) {
        return 0;
    }
    const double angle = std::atan2(b, a);
    return angle < 0 ? angle + kFullCircle : angle;
}

/// c^7 / (c^7 + 25^7): 0 for greys, near 1 for strong colours.
double strengthOf(double chroma) {
    const double seventh = std::pow(chroma, 7);
    return seventh / (seventh + std::pow(25.0, 7));
}

/// A colour with its a stretched near greys, equations 2 to 7.
struct Polar {
    double lightness;
    double chroma;
    double hue;
};

Polar polarOf(const Lab& colour, double stretch) {
    const double a = colour.a * stretch;
    return {.lightness = colour.lightness,
            .chroma = std::hypot(a, colour.b),
            .hue = hueOf(a, colour.b)};
}

/// From the first hue to the second the short way round; 0 next to a grey. Equation 10.
double hueAngleBetween(const Polar& first, const Polar& second) {
    if (first.chroma * second.chroma == 0) {
        return 0;
    }
    const double angle = second.hue - first.hue;
    if (angle > std::numbers::pi) {
        return angle - kFullCircle;
    }
    return angle < -std::numbers::pi ? angle + kFullCircle : angle;
}

/// Equation 14.
double meanHue(const Polar& first, const Polar& second) {
    const double sum = first.hue + second.hue;
    if (first.chroma * second.chroma == 0) {
        return sum;
    }
    if (std::abs(first.hue - second.hue) <= std::numbers::pi) {
        return sum / 2;
    }
    return sum < kFullCircle ? (sum + kFullCircle) / 2 : (sum - kFullCircle) / 2;
}

}  // namespace

Lab labOfSrgb(double red, double green, double blue) {
    const double r = linearOf(red);
    const double g = linearOf(green);
    const double b = linearOf(blue);
    const double x = labCurve((0.412453 * r + 0.357580 * g + 0.180423 * b) / 0.95047);
    const double y = labCurve(0.212671 * r + 0.715160 * g + 0.072169 * b);
    const double z = labCurve((0.019334 * r + 0.119193 * g + 0.950227 * b) / 1.08883);
    return {.lightness = 116 * y - 16, .a = 500 * (x - y), .b = 200 * (y - z)};
}

double ciede2000(const Lab& first, const Lab& second) {
    const double rawChroma = (std::hypot(first.a, first.b) + std::hypot(second.a, second.b)) / 2;
    const double stretch = 1.5 - 0.5 * std::sqrt(strengthOf(rawChroma));
    const Polar one = polarOf(first, stretch);
    const Polar two = polarOf(second, stretch);
    const double hueDifference =
        2 * std::sqrt(one.chroma * two.chroma) * std::sin(hueAngleBetween(one, two) / 2);
    const double chroma = (one.chroma + two.chroma) / 2;
    const double hue = meanHue(one, two);
    const double offset = std::pow((one.lightness + two.lightness) / 2 - 50, 2);
    const double hueWeight = 1 - 0.17 * std::cos(hue - radians(30)) + 0.24 * std::cos(2 * hue) +
                             0.32 * std::cos(3 * hue + radians(6)) -
                             0.20 * std::cos(4 * hue - radians(63));
    const double lightnessTerm =
        (two.lightness - one.lightness) / (1 + 0.015 * offset / std::sqrt(20 + offset));
    const double chromaTerm = (two.chroma - one.chroma) / (1 + 0.045 * chroma);
    const double hueTerm = hueDifference / (1 + 0.015 * chroma * hueWeight);
    const double blueRotation =
        radians(60) * std::exp(-std::pow((hue - radians(275)) / radians(25), 2));
    const double rotation = -2 * std::sqrt(strengthOf(chroma)) * std::sin(blueRotation);
    return std::sqrt(lightnessTerm * lightnessTerm + chromaTerm * chromaTerm + hueTerm * hueTerm +
                     rotation * chromaTerm * hueTerm);
}

namespace {

/// Fraction of the pixels that are not lighter than each level.
Histogram quantilesOf(const Histogram& histogram) {
    Histogram sums{};
    std::partial_sum(histogram.begin(), histogram.end(), sums.begin());
    const double count = sums.back();
    LOWTIDE_ASSERT(count > 0);
    for (double& sum : sums) {
        sum /= count;
    }
    return sums;
}

/// First level at which a quantile is reached.
size_t firstWith(const Histogram& quantiles, double quantile) {
    return static_cast<size_t>(std::lower_bound(quantiles.begin(), quantiles.end(), quantile) -
                               quantiles.begin());
}

}  // namespace

std::array<double, 256> matchedLevels(const Histogram& source, const Histogram& reference) {
    const Histogram wanted = quantilesOf(source);
    const Histogram known = quantilesOf(reference);
    std::array<double, 256> levels{};
    for (size_t level = 0; level < levels.size(); ++level) {
        const size_t above = firstWith(known, wanted[level]);
        const double below = above > 0 ? known[above - 1] : 0;
        levels[level] = static_cast<double>(above);
        if (below > 0) {  // between two levels that the reference has
            const size_t before = firstWith(known, below);
            const double fraction = (wanted[level] - below) / (known[above] - below);
            levels[level] =
                static_cast<double>(before) + static_cast<double>(above - before) * fraction;
        }
    }
    return levels;
}

}  // namespace lowtide::image
