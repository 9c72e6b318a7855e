#pragma once

#include <QString>

class QWidget;

namespace lowtide::ui {

/// What an empty panel says: what would be here, and how to get it.
struct EmptyState {
    const char* icon = "info";
    QString title;
    QString text;
};

/// A calm page with it in the middle.
[[nodiscard]] QWidget* makeEmptyState(const EmptyState& state, QWidget* parent);

}  // namespace lowtide::ui
