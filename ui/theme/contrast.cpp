#include "ui/theme/contrast.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

}  // namespace

double luminanceOf(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrastOf(const QColor& one, const QColor& other) {
    const auto [darker, lighter] = std::minmax({luminanceOf(one), luminanceOf(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

QColor blended(const QColor& over, const QColor& under) {
    const float share = over.alphaF();
    const auto mix = [share](float top, float bottom) {
        return share * top + (1.0F - share) * bottom;
    };
    return QColor::fromRgbF(mix(over.redF(), under.redF()),
                            mix(over.greenF(), under.greenF()),
                            mix(over.blueF(), under.blueF()));
}

QColor withAlpha(QColor colour, double opacity) {
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
}

}  // namespace lowtide::ui
