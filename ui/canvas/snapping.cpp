#include "ui/canvas/snapping.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace lowtide::ui {

namespace {

/// One axis of a rectangle: where it begins and ends, and the same across.
struct Span {
    double begin, end, acrossBegin, acrossEnd;

    [[nodiscard]] std::array<double, 3> edges() const { return {begin, (begin + end) / 2, end}; }
};

struct AxisSnap {
    double shift = 0;
    std::optional<double> at;  ///< of the guide
    double from = 0, to = 0;   ///< of the guide, across
};

Span spanX(const QRectF& rect) {
    return {rect.left(), rect.right(), rect.top(), rect.bottom()};
}

Span spanY(const QRectF& rect) {
    return {rect.top(), rect.bottom(), rect.left(), rect.right()};
}

AxisSnap snapAxis(const Span& moved, const std::vector<Span>& others, double grid, double reach) {
    AxisSnap best;
    double bestDistance = reach;
    for (const Span& other : others) {
        for (size_t i = 0; i < 3; ++i) {  // like with like: left with left, middle with middle
            const double shift = other.edges()[i] - moved.edges()[i];
            if (std::abs(shift) <= bestDistance && (std::abs(shift) < bestDistance || !best.at)) {
                bestDistance = std::abs(shift);
                best = {.shift = shift,
                        .at = other.edges()[i],
                        .from = std::min(moved.acrossBegin, other.acrossBegin),
                        .to = std::max(moved.acrossEnd, other.acrossEnd)};
            }
        }
    }
    if (!best.at && grid > 0) {
        best.shift = std::round(moved.begin / grid) * grid - moved.begin;
    }
    return best;
}

}  // namespace

Snapped snapped(const QRectF& moved, const std::vector<QRectF>& others, double grid, double reach) {
    std::vector<Span> columns, rows;
    for (const QRectF& other : others) {
        columns.push_back(spanX(other));
        rows.push_back(spanY(other));
    }
    const AxisSnap x = snapAxis(spanX(moved), columns, grid, reach);
    const AxisSnap y = snapAxis(spanY(moved), rows, grid, reach);
    Snapped result{.shift = {x.shift, y.shift}};
    if (x.at) {
        result.guides.emplace_back(*x.at, x.from, *x.at, x.to);
    }
    if (y.at) {
        result.guides.emplace_back(y.from, *y.at, y.to, *y.at);
    }
    return result;
}

}  // namespace lowtide::ui
