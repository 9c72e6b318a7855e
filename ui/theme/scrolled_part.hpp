#pragma once

#include <QScrollArea>

namespace lowtide::ui {

/// A part of a window that scrolls where its place is too small, and fills its place otherwise.
/// Unlike a plain scroll area it asks for the size of its content, and gives wrapped texts the
/// least height that they need in its width.
class ScrolledPart : public QScrollArea {
    Q_OBJECT

public:
    /// Takes the content over.
    explicit ScrolledPart(QWidget* content, QWidget* parent = nullptr);

    /// Pixels below which it is never made smaller; at first as wide as the content needs, and so
    /// low that a few rows are seen.
    void setLeast(const QSize& size);

    [[nodiscard]] QWidget* content() const { return content_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* content_;
    QSize least_;
};

/// Gives a window that has no size yet the one that its content asks for, as far as its screen has
/// room: what scrolls makes up for the rest.
void resizeToScreen(QWidget& window);

}  // namespace lowtide::ui
