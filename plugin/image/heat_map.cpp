#include "plugin/image/heat_map.hpp"

#include "plugin/base/text.hpp"
#include "plugin/image/canvas.hpp"
#include "plugin/image/glyphs.hpp"
#include "plugin/image/picture_difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace lowtide::image {

namespace {

/// Five colours of matplotlib's inferno (CC0): lightness rises evenly.
constexpr std::array<std::array<double, 3>, 5> kStops = {
    {{0, 0, 4}, {87, 16, 110}, {188, 55, 84}, {249, 142, 9}, {252, 255, 164}}};

Colour heatOf(double difference) {
    const double place =
        std::clamp(difference / kHottestDifference, 0.0, 1.0) * (kStops.size() - 1);
    const size_t stop = std::min(static_cast<size_t>(place), kStops.size() - 2);
    const double share = place - static_cast<double>(stop);
    const auto channel = [&](size_t i) {
        const double level = kStops[stop][i] * (1 - share) + kStops[stop + 1][i] * share;
        return static_cast<uint8_t>(std::lround(level));
    };
    return {channel(0), channel(1), channel(2)};
}

}  // namespace

Image8 heatMap(const Image8& reference, const Image8& picture) {
    const std::vector<float> differences = colourDifferences(reference, picture);
    const auto pixels = std::make_shared<uint8_t[]>(3 * differences.size());
    size_t next = 0;
    for (const float difference : differences) {
        const Colour colour = heatOf(difference);
        pixels[next++] = colour.red;
        pixels[next++] = colour.green;
        pixels[next++] = colour.blue;
    }
    return {.widthPixels = picture.widthPixels,
            .heightPixels = picture.heightPixels,
            .channels = 3,
            .pixels = pixels};
}

Image8 heatLegend() {
    constexpr Colour kPaper{30, 30, 34};
    constexpr Colour kInk{232, 232, 232};
    constexpr int kLeft = 4;
    constexpr int kBarWidth = 256;
    constexpr int kBarHeight = 14;
    constexpr int kTicks = 4;
    Canvas canvas(kBarWidth + 90, 2 * kGlyphHeight + kBarHeight + 10, kPaper);
    canvas.write("CIEDE2000 (1: just noticeable)", kLeft, 0, kInk, 1);
    const int top = kGlyphHeight + 3;
    for (int x = 0; x < kBarWidth; ++x) {
        canvas.fill({kLeft + x, top, 1, kBarHeight},
                    heatOf(kHottestDifference * x / (kBarWidth - 1)));
    }
    for (int tick = 0; tick <= kTicks; ++tick) {
        const int x = kLeft + tick * (kBarWidth - 1) / kTicks;
        canvas.fill({x, top + kBarHeight, 1, 3}, kInk);
        const std::string number =
            formatNumber(kHottestDifference * tick / kTicks) + (tick == kTicks ? " and more" : "");
        canvas.write(number, std::max(x - kGlyphWidth / 2, 0), top + kBarHeight + 4, kInk, 1);
    }
    return canvas.picture();
}

}  // namespace lowtide::image
