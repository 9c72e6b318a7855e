#include "ui/editors/path_line.hpp"

#include <QPainter>
#include <QStyleOptionFrame>

namespace lowtide::ui {

namespace {

constexpr int kInset = 2;  ///< that QLineEdit leaves beside its text

}  // namespace

QRect PathLine::room() const {
    QStyleOptionFrame option;
    initStyleOption(&option);
    return style()
        ->subElementRect(QStyle::SE_LineEditContents, &option, this)
        .marginsRemoved(textMargins())
        .adjusted(kInset, 0, -kInset, 0);
}

QString PathLine::shown() const {
    return fontMetrics().elidedText(text(), Qt::ElideMiddle, room().width());
}

void PathLine::paintEvent(QPaintEvent* event) {
    const QString path = shown();
    if (hasFocus() || path == text()) {
        QLineEdit::paintEvent(event);
        return;
    }
    QPainter painter(this);
    QStyleOptionFrame option;
    initStyleOption(&option);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    style()->drawItemText(&painter,
                          room(),
                          Qt::AlignLeft | Qt::AlignVCenter,
                          palette(),
                          isEnabled(),
                          path,
                          QPalette::Text);
}

}  // namespace lowtide::ui
