#include "ui/panels/gallery_delegate.hpp"

#include "plugin/video/video_file.hpp"
#include "ui/panels/gallery_rows.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>
#include <QPainterPath>

namespace lowtide::ui {

namespace {

constexpr int kTileInset = 4;
constexpr int kPictureInset = 4;
constexpr int kMark = 20;  ///< a star, or the sign of a video

void paintMark(QPainter& painter, const QRect& place, const char* icon, const char* token) {
    const Theme& theme = Theme::current();
    QColor ground = theme.colour("surface");
    ground.setAlphaF(0.85F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawEllipse(place);
    theme.icon(icon, token).paint(&painter, place.adjusted(3, 3, -3, -3), Qt::AlignCenter);
}

}  // namespace

int GalleryDelegate::pictureSide() const {
    return side_ - 2 * kPictureInset;
}

QSize GalleryDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {side_ + 2 * kTileInset, side_ + 2 * kTileInset};
}

void GalleryDelegate::paint(QPainter* painter,
                            const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const auto* rows = qobject_cast<const GalleryRows*>(index.model());
    const PictureRecord* picture = rows ? rows->pictureAt(index) : nullptr;
    if (!picture) {
        return;
    }
    const Theme& theme = Theme::current();
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
    const QRect tile = option.rect.adjusted(kTileInset, kTileInset, -kTileInset, -kTileInset);
    const bool isMissing = rows->isMissing(picture->id);
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    painter->setPen(QPen(theme.colour(isSelected ? "focus" : "border"), isSelected ? 3 : 1));
    painter->setBrush(theme.colour(isSelected ? "selection" : isHovered ? "hover" : "raised"));
    painter->drawRoundedRect(
        QRectF(tile).adjusted(1, 1, -1, -1), theme.size("radius"), theme.size("radius"));
    const QRect inner = tile.adjusted(kPictureInset, kPictureInset, -kPictureInset, -kPictureInset);
    if (const QPixmap small = rows->thumbnail(*picture); !small.isNull()) {
        QRectF target(QPointF(0, 0), small.deviceIndependentSize());
        target.moveCenter(QRectF(inner).center());
        painter->setOpacity(isMissing ? 0.4 : 1);
        painter->drawPixmap(target.topLeft().toPoint(), small);
        painter->setOpacity(1);
    } else if (picture->hasThumbnail || isMissing) {
        theme.icon(isMissing ? "warning" : "image", "text.muted")
            .paint(painter, inner.adjusted(24, 24, -24, -24), Qt::AlignCenter);
    }
    QRect mark(inner.topRight() - QPoint(kMark - 1, 0), QSize(kMark, kMark));
    if (picture->isStarred) {
        paintMark(*painter, mark, "star-filled", "accent");
    }
    if (isSelected) {
        mark.moveTopLeft(inner.topLeft());
        paintMark(*painter, mark, "check", "accent");
    }
    mark.moveTopLeft(inner.bottomLeft() - QPoint(0, kMark - 1));
    if (isMissing) {
        paintMark(*painter, mark, "warning", "warning");
    } else if (video::hasVideoName(picture->path.toStdString())) {
        paintMark(*painter, mark, "play", "text");
    }
    painter->restore();
}

}  // namespace lowtide::ui
