#pragma once

#include <QString>

class QToolButton;
class QWidget;

namespace lowtide::ui {

/// A flat button with an icon of the theme; `text` is its tip, and what a screen reader says.
[[nodiscard]] QToolButton* makeIconButton(const char* icon,
                                          const QString& text,
                                          const char* name,
                                          QWidget* parent);

}  // namespace lowtide::ui
