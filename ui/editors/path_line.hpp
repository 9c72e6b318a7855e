#pragma once

#include <QLineEdit>

namespace lowtide::ui {

/// A line for a path: one that is too long shows its beginning and its end while nobody types.
class PathLine : public QLineEdit {
    Q_OBJECT

public:
    using QLineEdit::QLineEdit;

    /// The path as it is seen when the line has no focus.
    [[nodiscard]] QString shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QRect room() const;
};

}  // namespace lowtide::ui
