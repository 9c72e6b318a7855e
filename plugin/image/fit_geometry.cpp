#include "plugin/image/fit_geometry.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace lowtide::image {

namespace {

constexpr int64_t kLargestFitSide = 1 << 16;

double sideRatio(const PixelSize& size) {
    return static_cast<double>(size.width) / static_cast<double>(size.height);
}

/// Half to even, as Python rounds.
int64_t rounded(double value) {
    return static_cast<int64_t>(std::nearbyint(value));
}

/// A side that nobody chose, as a multiple.
int64_t followingSide(double exact, FitMode mode, int64_t multiple) {
    const double count = exact / static_cast<double>(multiple);
    // Sides that follow from each other are whole up to what divisions lose.
    constexpr double kLoss = 1e-9;
    const double whole = mode == FitMode::Crop  ? std::floor(count + kLoss)
                         : mode == FitMode::Pad ? std::ceil(count - kLoss)
                                                : std::nearbyint(count);
    return std::max<int64_t>(1, static_cast<int64_t>(whole)) * multiple;
}

void checkSide(int64_t side, int64_t multiple, const char* item) {
    const int64_t below = std::max<int64_t>(side / multiple, 1) * multiple;
    requireThat(side >= 0 && side <= kLargestFitSide,
                message("the {} is {}", item, side),
                message("choose at most 65536 pixels, or 0 to let it follow"),
                item);
    requireThat(side % multiple == 0,
                message("the {} of {} pixels is no multiple of {}", item, side, multiple),
                message("choose {} or {}, or another multiple", below, below + multiple),
                item);
}

PixelSize targetSize(const PixelSize& source,
                     const PixelSize& wanted,
                     FitMode mode,
                     int64_t multiple) {
    checkSide(wanted.width, multiple, "width");
    checkSide(wanted.height, multiple, "height");
    const double ratio = sideRatio(source);
    const double width = wanted.height > 0 ? static_cast<double>(wanted.height) * ratio
                                           : static_cast<double>(source.width);
    const double height = wanted.width > 0 ? static_cast<double>(wanted.width) / ratio
                                           : static_cast<double>(source.height);
    const PixelSize target{
        .width = wanted.width > 0 ? wanted.width : followingSide(width, mode, multiple),
        .height = wanted.height > 0 ? wanted.height : followingSide(height, mode, multiple)};
    requireThat(std::max(target.width, target.height) <= kLargestFitSide,
                message("the result would have {} x {} pixels", target.width, target.height),
                message("choose both sides, at most 65536 pixels each"),
                wanted.width > 0 ? "width" : "height");
    return target;
}

FitGeometry croppedTo(const PixelSize& source, const PixelSize& target) {
    const double old = sideRatio(source);
    const double wanted = sideRatio(target);
    const auto cut = [](int64_t side, double fraction) {
        const auto whole = static_cast<double>(side);
        return std::clamp<int64_t>(rounded((whole - whole * fraction) / 2), 0, (side - 1) / 2);
    };
    const int64_t x = old > wanted ? cut(source.width, wanted / old) : 0;
    const int64_t y = old < wanted ? cut(source.height, old / wanted) : 0;
    return {.part = {.width = source.width - 2 * x, .height = source.height - 2 * y},
            .partX = x,
            .partY = y,
            .scaled = target,
            .size = target};
}

FitGeometry paddedTo(const PixelSize& source, const PixelSize& target) {
    const PixelSize turned{.width = source.height, .height = source.width};
    PixelSize scaled = target;
    if (sideRatio(source) > sideRatio(target)) {
        const double height = sideRatio(turned) * static_cast<double>(target.width);
        scaled.height = std::clamp<int64_t>(rounded(height), 1, target.height);
    } else {
        const double width = sideRatio(source) * static_cast<double>(target.height);
        scaled.width = std::clamp<int64_t>(rounded(width), 1, target.width);
    }
    return {.part = source,
            .scaled = scaled,
            .left = rounded(static_cast<double>(target.width - scaled.width) / 2),
            .top = rounded(static_cast<double>(target.height - scaled.height) / 2),
            .size = target};
}

}  // namespace

FitGeometry fitGeometry(const PixelSize& source,
                        const PixelSize& wanted,
                        FitMode mode,
                        int64_t multiple) {
    const PixelSize target = targetSize(source, wanted, mode, multiple);
    switch (mode) {
        case FitMode::Crop:
            return croppedTo(source, target);
        case FitMode::Pad:
            return paddedTo(source, target);
        case FitMode::Stretch:
            break;
    }
    return {.part = source, .scaled = target, .size = target};
}

}  // namespace lowtide::image
