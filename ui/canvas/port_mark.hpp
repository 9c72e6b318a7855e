#pragma once

#include "ui/theme/theme.hpp"

#include <QPainterPath>

namespace lowtide::ui {

/// Outline of a port's mark around the origin; all shapes look equally large at `half` of a width.
[[nodiscard]] QPainterPath portMark(Theme::PortShape shape, double half);

}  // namespace lowtide::ui
