#pragma once

#include <QLabel>

namespace lowtide::ui {

/// A sentence at the pointer: why a wire may not end there, why nothing was pasted.
class PointerTip : public QLabel {
    Q_OBJECT

public:
    explicit PointerTip(QWidget* parent);

    /// Shows it beside `at` (of the parent) and within the parent; an empty text hides it.
    void say(const QString& text, QPoint at);
};

}  // namespace lowtide::ui
