#pragma once

#include "ui/theme/theme.hpp"

#include <QVBoxLayout>
#include <QWidget>

namespace lowtide::ui {

/// What stands below each other in `part` and reaches to its edges.
[[nodiscard]] inline QVBoxLayout* columnIn(QWidget* part) {
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::space(2));
    return column;
}

}  // namespace lowtide::ui
