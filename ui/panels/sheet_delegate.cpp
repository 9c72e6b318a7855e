#include "ui/panels/sheet_delegate.hpp"

#include "ui/panels/chart_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kCellInset = 4;
constexpr int kMarkInset = 4;
constexpr int kProgressBar = 4;
constexpr int kMarkPadding = 6;

QFontMetrics smallMetrics() {
    return QFontMetrics(Theme::current().font("small"));
}

/// A word on a ground of its own, over a picture.
void paintTag(QPainter& painter, QPoint corner, const QString& text, const char* token) {
    const Theme& theme = Theme::current();
    const QFontMetrics metrics = smallMetrics();
    const QRect ground(
        corner,
        QSize(metrics.horizontalAdvance(text) + 2 * kMarkPadding, metrics.height() + kMarkPadding));
    painter.setPen(QPen(theme.colour(token), 1));
    painter.setBrush(theme.colour("surface"));
    painter.drawRoundedRect(ground, theme.size("radius"), theme.size("radius"));
    painter.setFont(theme.font("small"));
    painter.setPen(theme.colour(token));
    painter.drawText(ground, Qt::AlignCenter, text);
}

}  // namespace

int SheetDelegate::captionHeight() const {
    return hasFigures_ ? 2 * (smallMetrics().height() + 1) : 0;
}

QSize SheetDelegate::cellSize(const QSizeF& shape) const {
    const QSizeF picture =
        (shape.isEmpty() ? QSizeF(1, 1) : shape).scaled(side_, side_, Qt::KeepAspectRatio);
    return {static_cast<int>(picture.width()) + 2 * kCellInset,
            static_cast<int>(picture.height()) + captionHeight() + 2 * kCellInset};
}

void SheetDelegate::paintPicture(QPainter& painter,
                                 const QRect& place,
                                 const SheetTable& table,
                                 int cell) const {
    const Theme& theme = Theme::current();
    const QImage& picture = table.picture(cell);
    if (!picture.isNull()) {
        QSize size = picture.size();
        size.scale(place.size(), Qt::KeepAspectRatio);
        QRect target(QPoint(0, 0), size);
        target.moveCenter(place.center());
        painter.drawImage(target, picture);
        return;
    }
    painter.fillRect(place, theme.colour("field"));
    const QString text = table.stateText(cell);
    painter.setFont(theme.font("small"));
    painter.setPen(theme.colour(table.hasFailed(cell) ? "error" : "text.muted"));
    const QRect inner = place.adjusted(6, 6, -6, -6);
    painter.setClipRect(inner);
    painter.drawText(inner, Qt::AlignCenter | Qt::TextWordWrap, text);
    painter.setClipping(false);
    const double progress = table.progress(cell);
    if (table.cellAt(table.indexOf(cell))->state == RunState::Running && progress >= 0) {
        QRectF bar(place.left(), place.bottom() + 1 - kProgressBar, place.width(), kProgressBar);
        bar.setWidth(bar.width() * std::clamp(progress, 0.0, 1.0));
        painter.fillRect(bar, theme.colour("node.running"));
    }
}

void SheetDelegate::paintCaption(QPainter& painter,
                                 QRect line,
                                 const SheetTable& table,
                                 int cell) const {
    line.setHeight(smallMetrics().height() + 1);
    paintText(painter, line, table.figures(cell), "small", "text");
    line.translate(0, line.height());
    if (const int same = table.sameAs(cell); same >= 0) {
        paintText(
            painter,
            line,
            SheetTable::tr("same as %1").arg(table.plan().cellValues(static_cast<size_t>(same))),
            "small",
            "text.muted");
    }
}

void SheetDelegate::paintMark(QPainter& painter,
                              const QRect& place,
                              const SheetTable& table,
                              int cell) const {
    const SheetTable::Ends ends = table.endsOf(marked_);
    const bool isTime = marked_ == SheetTable::Figure::Time;
    const QPoint corner = place.topLeft() + QPoint(kMarkInset, kMarkInset);
    if (cell == ends.least) {
        paintTag(painter,
                 corner,
                 isTime ? SheetTable::tr("fastest") : SheetTable::tr("least memory"),
                 "success");
    } else if (cell == ends.most) {
        paintTag(painter,
                 corner,
                 isTime ? SheetTable::tr("slowest") : SheetTable::tr("most memory"),
                 "warning");
    }
    if (cell == reference_) {
        const QPoint below(0, smallMetrics().height() + 2 * kMarkPadding);
        paintTag(painter,
                 cell == ends.least || cell == ends.most ? corner + below : corner,
                 SheetTable::tr("compared with"),
                 "accent");
    }
}

void SheetDelegate::paint(QPainter* painter,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* table = qobject_cast<const SheetTable*>(index.model());
    const int cell = table ? table->numberOf(index) : -1;
    if (cell < 0) {
        return;
    }
    const Theme& theme = Theme::current();
    const bool isCurrent = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const QRect inner = option.rect.adjusted(kCellInset, kCellInset, -kCellInset, -kCellInset);
    if (isCurrent) {
        painter->fillRect(option.rect, theme.colour("selection"));
        painter->setPen(QPen(theme.colour("focus"), 3));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option.rect.adjusted(1, 1, -2, -2));
    }
    QRect place = inner;
    place.setHeight(inner.height() - captionHeight());
    paintPicture(*painter, place, *table, cell);
    paintMark(*painter, place, *table, cell);
    if (hasFigures_) {
        paintCaption(*painter,
                     QRect(place.left(), place.bottom() + 1, place.width(), captionHeight()),
                     *table,
                     cell);
    }
    painter->restore();
}

}  // namespace lowtide::ui
