#include "ui/panels/filmstrip.hpp"

#include "plugin/video/video_file.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/gallery_rows.hpp"
#include "ui/theme/theme.hpp"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QWheelEvent>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kFilmSide = 72;
constexpr int kFilmInset = 3;
constexpr int kFilmMark = 16;

/// An image of the strip: its thumbnail, however large the gallery wants it, and its star.
class FilmDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {kFilmSide, kFilmSide};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto* rows = qobject_cast<const GalleryRows*>(index.model());
        const ImageRecord* image = rows ? rows->imageAt(index) : nullptr;
        if (!image) {
            return;
        }
        const Theme& theme = Theme::current();
        const bool isShown = option.state.testFlag(QStyle::State_Selected);
        const QRect tile = option.rect.adjusted(kFilmInset, kFilmInset, -kFilmInset, -kFilmInset);
        painter->save();
        painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
        painter->setPen(QPen(theme.colour(isShown ? "focus" : "border"), isShown ? 3 : 1));
        painter->setBrush(theme.colour(isShown ? "selection" : "raised"));
        painter->drawRoundedRect(
            QRectF(tile).adjusted(1, 1, -1, -1), theme.size("radius"), theme.size("radius"));
        const QRect inner = tile.adjusted(kFilmInset, kFilmInset, -kFilmInset, -kFilmInset);
        paintThumbnail(*painter, inner, *rows, *image);
        const bool isVideo = video::hasVideoName(image->path.toStdString());
        if (isVideo || image->isStarred) {
            const QRect mark(inner.topRight() - QPoint(kFilmMark - 1, 0),
                             QSize(kFilmMark, kFilmMark));
            theme.icon(isVideo ? "play" : "star-filled", isVideo ? "text" : "accent")
                .paint(painter, mark);
        }
        painter->restore();
    }

private:
    static void paintThumbnail(QPainter& painter,
                               const QRect& inner,
                               const GalleryRows& rows,
                               const ImageRecord& image) {
        const QPixmap small = rows.thumbnail(image);
        if (small.isNull()) {
            if (image.hasThumbnail || rows.isMissing(image.id)) {
                Theme::current()
                    .icon(rows.isMissing(image.id) ? "warning" : "image", "text.muted")
                    .paint(&painter, inner.adjusted(16, 16, -16, -16));
            }
            return;
        }
        const QSizeF size = small.deviceIndependentSize();
        QRectF target(QPointF(0, 0),
                      size.boundedTo(size.scaled(inner.size(), Qt::KeepAspectRatio)));
        target.moveCenter(QRectF(inner).center());
        painter.setOpacity(rows.isMissing(image.id) ? 0.4 : 1);
        painter.drawPixmap(target, small, QRectF(small.rect()));
    }
};

}  // namespace

Filmstrip::Filmstrip(Gallery& gallery, QWidget* parent)
    : QListView(parent), gallery_(gallery), rows_(gallery.rows()) {
    setObjectName(QStringLiteral("filmstrip"));
    setAccessibleName(tr("Images around this one"));
    setModel(&rows_);
    setItemDelegate(new FilmDelegate(this));
    setFlow(QListView::LeftToRight);
    setWrapping(false);
    setUniformItemSizes(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setDragEnabled(true);
    setDragDropMode(QAbstractItemView::DragOnly);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    showFollowed();
    connect(this, &QListView::clicked, this, &Filmstrip::want);
    connect(&rows_, &QAbstractItemModel::rowsInserted, this, &Filmstrip::showFollowed);
    connect(&rows_, &QAbstractItemModel::rowsRemoved, this, &Filmstrip::showFollowed);
    connect(&rows_, &QAbstractItemModel::modelReset, this, &Filmstrip::showFollowed);
    connect(this, &QListView::customContextMenuRequested, this, [this](const QPoint& point) {
        if (const ImageRecord* image = rows_.imageAt(indexAt(point))) {
            gallery_.popupMenu(image->path, viewport()->mapToGlobal(point));
        }
    });
}

QSize Filmstrip::sizeHint() const {
    return {kFilmSide * 4, rows_.rowCount({}) > 0 ? kFilmSide : 0};
}

void Filmstrip::follow(const QString& path) {
    followed_ = path;
    showFollowed();
}

void Filmstrip::showFollowed() {
    updateGeometry();
    setFocusPolicy(rows_.rowCount({}) > 0 ? Qt::StrongFocus
                                          : Qt::NoFocus);  // else it has no height
    const QModelIndex index = rows_.indexOfPath(followed_);
    if (index.isValid()) {
        setCurrentIndex(index);
        scrollTo(index, QAbstractItemView::PositionAtCenter);
    } else {
        clearSelection();
    }
}

void Filmstrip::want(const QModelIndex& index) {
    if (const ImageRecord* image = rows_.imageAt(index)) {
        followed_ = image->path;
        setCurrentIndex(index);
        scrollTo(index, QAbstractItemView::PositionAtCenter);
        Q_EMIT wanted(image->path);
    }
}

void Filmstrip::step(int by) {
    const int last = rows_.rowCount({}) - 1;
    const int from = currentIndex().isValid() ? currentIndex().row() : 0;
    want(rows_.index(std::clamp(from + by, 0, std::max(last, 0))));
}

void Filmstrip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
        case Qt::Key_PageUp:
            return step(-1);
        case Qt::Key_Right:
        case Qt::Key_Down:
        case Qt::Key_PageDown:
            return step(1);
        case Qt::Key_Home:
            return step(-rows_.rowCount({}));
        case Qt::Key_End:
            return step(rows_.rowCount({}));
        default:
            QListView::keyPressEvent(event);
    }
}

void Filmstrip::showEvent(QShowEvent* event) {
    QListView::showEvent(event);
    gallery_.refresh();
    showFollowed();
}

/// A wheel that only goes up and down moves along the strip.
void Filmstrip::wheelEvent(QWheelEvent* event) {
    const QPoint turned = event->angleDelta();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() -
                                    (turned.x() != 0 ? turned.x() : turned.y()));
    event->accept();
}

}  // namespace lowtide::ui
