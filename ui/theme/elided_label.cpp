#include "ui/theme/elided_label.hpp"

#include <QEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kLeastLetters = 6;

}  // namespace

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
    QLabel::setText(text);
    tellRest();
}

QSize ElidedLabel::minimumSizeHint() const {
    const QSize whole = QLabel::minimumSizeHint();
    return {std::min(whole.width(), kLeastLetters * fontMetrics().averageCharWidth()),
            whole.height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    tellRest();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        tellRest();
    }
}

void ElidedLabel::tellRest() {
    const bool isWhole = fontMetrics().horizontalAdvance(text()) <= contentsRect().width();
    setToolTip(isWhole ? QString() : text());
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    QPainter painter(this);
    const QRect room = contentsRect();
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, room.width());
    style()->drawItemText(&painter,
                          room,
                          static_cast<int>(QStyle::visualAlignment(layoutDirection(), alignment())),
                          palette(),
                          isEnabled(),
                          shown,
                          foregroundRole());
}

}  // namespace lowtide::ui
