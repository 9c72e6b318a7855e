#include "ui/panels/model_rows.hpp"

#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetricsF>
#include <QIcon>
#include <QPainter>

namespace lowtide::ui {

namespace {

constexpr int kModelRow = Theme::space(10);

/// As large as it fits; without one, a mark in its place.
void paintModelPicture(QPainter& painter, const QRectF& place, const QImage& picture) {
    if (picture.isNull()) {
        const int side = Theme::current().size("icon");
        QRectF mark(0, 0, side, side);
        mark.moveCenter(place.center());
        Theme::current().icon("image", "border").paint(&painter, mark.toRect());
        return;
    }
    QRectF shown(QPointF(), QSizeF(picture.size()).scaled(place.size(), Qt::KeepAspectRatio));
    shown.moveCenter(place.center());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(shown, picture);
}

}  // namespace

QSize ModelRowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {0, kModelRow};
}

void ModelRowDelegate::paint(QPainter* painter,
                             const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    paintRowGround(*painter, option);
    QRectF row = QRectF(option.rect).adjusted(Theme::space(2), 2, -Theme::space(2), -2);
    if (pictures_) {
        const QRectF place(row.topLeft(), QSizeF(row.height(), row.height()));
        paintModelPicture(*painter, place, pictures_(index));
        row.setLeft(place.right() + Theme::space(2));
    }
    QRectF name(row.topLeft(), QSizeF(row.width(), row.height() / 2));
    const QRectF below = name.translated(0, name.height());
    if (const auto icon = index.data(Qt::DecorationRole).value<QIcon>(); !icon.isNull()) {
        const int side = Theme::current().size("icon");
        icon.paint(painter, QRectF(name.topLeft(), QSizeF(side, name.height())).toRect());
        name.adjust(side + Theme::space(1), 0, 0, 0);
    }
    const QFontMetricsF letters(Theme::current().font("body"));
    paintText(*painter,
              name,
              letters.elidedText(index.data().toString(), Qt::ElideMiddle, name.width()),
              "body",
              "text");
    const auto textAt = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
    const QString family = textAt(ModelColumn::Family);
    const QString size = textAt(ModelColumn::Size);
    const QString verdict = textAt(ModelColumn::Verdict);
    const qreal right =
        QFontMetricsF(Theme::current().font("small")).horizontalAdvance(verdict) + 1;
    paintText(*painter,
              below.adjusted(0, 0, -right - Theme::space(2), 0),
              size.isEmpty() ? family : tr("%1, %2").arg(family, size),
              "small",
              "text.muted");
    paintText(*painter,
              below,
              verdict,
              "small",
              qPrintable(index.siblingAtColumn(ModelColumn::Verdict).data(Qt::UserRole).toString()),
              Qt::AlignRight);
}

}  // namespace lowtide::ui
