#include "ui/panels/gallery_rows.hpp"

#include "plugin/video/video_file.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"

#include <QDateTime>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include <algorithm>
#include <memory>

namespace lowtide::ui {

namespace {

constexpr const char* kUriList = "text/uri-list";

QString madeText(const ImageRecord& image) {
    return dateTimeText(QDateTime::fromMSecsSinceEpoch(image.made));
}

bool isSameImage(const ImageRecord& left, const ImageRecord& right) {
    return left.path == right.path && left.isStarred == right.isStarred &&
           left.size == right.size && left.hasThumbnail == right.hasThumbnail;
}

constexpr int kTileInset = 4;
constexpr int kImageInset = 4;
constexpr int kMark = 20;  ///< a star, or the sign of a video

void paintMark(QPainter& painter, const QRect& rect, const char* icon, const char* token) {
    const Theme& theme = Theme::current();
    QColor ground = theme.colour("surface");
    ground.setAlphaF(0.85F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawEllipse(rect);
    theme.icon(icon, token).paint(&painter, rect.adjusted(3, 3, -3, -3), Qt::AlignCenter);
}

}  // namespace

GalleryRows::GalleryRows(RunLibrary& library, QObject* parent)
    : QAbstractListModel(parent), library_(library), thumbnails_(kThumbnailBytes) {
    soon_.setSingleShot(true);
    soon_.setInterval(0);
    connect(&soon_, &QTimer::timeout, this, &GalleryRows::fetch);
    connect(&library_, &RunLibrary::thumbnailMade, this, [this](qint64 imageId) {
        thumbnails_.remove(imageId);
        asked_.erase(imageId);
        emitChanged(imageId);
    });
}

void GalleryRows::setSide(int pixels, double scale) {
    if (pixels == side_ && scale == scale_) {
        return;
    }
    side_ = pixels;
    scale_ = scale;
    thumbnails_.clear();
    if (!images_.empty()) {
        Q_EMIT dataChanged(index(0), index(static_cast<int>(images_.size()) - 1));
    }
}

void GalleryRows::number() const {
    for (size_t row = 0; row < images_.size(); ++row) {
        rows_[images_[row].id] = static_cast<int>(row);
    }
}

void GalleryRows::removeGone(const std::set<int64_t>& remaining) {
    const auto isGone = [&](int row) {
        return row >= 0 && !remaining.contains(images_[static_cast<size_t>(row)].id);
    };
    for (auto last = static_cast<int>(images_.size()) - 1; last >= 0; --last) {
        if (!isGone(last)) {
            continue;
        }
        int first = last;
        while (isGone(first - 1)) {
            --first;
        }
        beginRemoveRows({}, first, last);
        images_.erase(images_.begin() + first, images_.begin() + last + 1);
        rows_.clear();
        endRemoveRows();
        last = first;
    }
}

void GalleryRows::setImages(std::vector<ImageRecord> images) {
    constexpr size_t kFewGone = 64;
    std::set<int64_t> remaining;
    for (const ImageRecord& image : images) {
        remaining.insert(image.id);
    }
    const auto gone = static_cast<size_t>(std::ranges::count_if(
        images_, [&](const ImageRecord& image) { return !remaining.contains(image.id); }));
    if (gone <= kFewGone) {
        removeGone(remaining);
    }
    const size_t more = images.size() - std::min(images.size(), images_.size());
    const bool areBehind = images.size() >= images_.size() &&
                           std::equal(images_.begin(),
                                      images_.end(),
                                      images.begin() + static_cast<std::ptrdiff_t>(more),
                                      [](const ImageRecord& left, const ImageRecord& right) {
                                          return left.id == right.id;
                                      });
    if (!areBehind) {
        beginResetModel();
        images_ = std::move(images);
        rows_.clear();
        endResetModel();
        return;
    }
    for (size_t row = 0; row < images_.size(); ++row) {
        const ImageRecord& now = images[more + row];
        if (!isSameImage(images_[row], now)) {
            images_[row] = now;
            emitChanged(now.id);
        }
    }
    if (more > 0) {
        beginInsertRows({}, 0, static_cast<int>(more) - 1);
        images_ = std::move(images);
        rows_.clear();
        endInsertRows();
    }
}

const ImageRecord* GalleryRows::imageAt(const QModelIndex& index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < images_.size() ? &images_[row] : nullptr;
}

QModelIndex GalleryRows::indexOf(int64_t imageId) const {
    if (rows_.empty()) {
        number();
    }
    const auto row = rows_.find(imageId);
    return row == rows_.end() ? QModelIndex() : index(row->second);
}

QModelIndex GalleryRows::indexOfPath(const QString& path) const {
    const auto found = std::ranges::find(images_, path, &ImageRecord::path);
    return found == images_.end() ? QModelIndex()
                                  : index(static_cast<int>(found - images_.begin()));
}

QPixmap GalleryRows::thumbnail(const ImageRecord& image) const {
    if (const QPixmap* known = thumbnails_.object(image.id)) {
        return *known;
    }
    if (!asked_.contains(image.id)) {
        wanted_.insert(image.id);
        soon_.start();
    }
    return {};
}

void GalleryRows::fetch() {
    std::vector<ImageRecord> wanted;
    for (const int64_t imageId : wanted_) {
        if (const ImageRecord* known = imageAt(indexOf(imageId))) {
            wanted.push_back(*known);
            asked_.insert(imageId);
        }
    }
    wanted_.clear();
    library_.askMissing(wanted, this, [this, wanted](const std::set<int64_t>& missing) {
        takeMissing(wanted, missing);
    });
    library_.askThumbnails(
        wanted, side_, this, [this, side = side_](std::vector<RunLibrary::Thumbnail> thumbnails) {
            if (side == side_) {
                take(std::move(thumbnails));
            } else {  // they are painted in another size by now
                asked_.clear();
                Q_EMIT dataChanged(index(0), index(rowCount({}) - 1));
            }
        });
}

void GalleryRows::take(std::vector<RunLibrary::Thumbnail> thumbnails) {
    for (const RunLibrary::Thumbnail& each : thumbnails) {
        if (each.image.isNull()) {
            continue;  // none was made yet: thumbnailMade asks again, also before this answer
        }
        asked_.erase(each.imageId);
        auto small = std::make_unique<QPixmap>(QPixmap::fromImage(each.image));
        small->setDevicePixelRatio(scale_);
        thumbnails_.insert(
            each.imageId, small.release(), std::max<qsizetype>(1, each.image.sizeInBytes()));
        emitChanged(each.imageId);
    }
}

void GalleryRows::takeMissing(const std::vector<ImageRecord>& asked,
                              const std::set<int64_t>& missing) {
    for (const ImageRecord& image : asked) {
        const bool isMissing = missing.contains(image.id);
        if (isMissing != missing_.contains(image.id)) {
            isMissing ? static_cast<void>(missing_.insert(image.id))
                      : static_cast<void>(missing_.erase(image.id));
            emitChanged(image.id);
        }
    }
}

void GalleryRows::emitChanged(int64_t imageId) {
    if (const QModelIndex index = indexOf(imageId); index.isValid()) {
        Q_EMIT dataChanged(index, index);
    }
}

void GalleryRows::setMarked(std::set<int64_t> marked) {
    marked_ = std::move(marked);
}

int GalleryRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(images_.size());
}

/// What its marks show too.
QString GalleryRows::spokenText(const ImageRecord& image, const QString& name) const {
    QString text = tr("%1, %2, %3").arg(name, image.title, madeText(image));
    if (image.isStarred) {
        text = tr("%1, starred").arg(text);
    }
    if (marked_.contains(image.id)) {
        text = tr("%1, marked").arg(text);
    }
    return isMissing(image.id) ? tr("%1, its file is gone").arg(text) : text;
}

QVariant GalleryRows::data(const QModelIndex& index, int role) const {
    const ImageRecord* image = imageAt(index);
    if (!image) {
        return {};
    }
    const QString name = QFileInfo(image->path).fileName();
    switch (role) {
        case Qt::DisplayRole:
            return name;
        case Qt::AccessibleTextRole:
            return spokenText(*image, name);
        case Qt::ToolTipRole:
            return image->size.isEmpty()
                       ? tr("%1\n%2\n%3").arg(name, image->title, madeText(*image))
                       : tr("%1\n%2\n%3 x %4 pixels, %5")
                             .arg(name,
                                  image->title,
                                  QString::number(image->size.width()),
                                  QString::number(image->size.height()),
                                  madeText(*image));
        default:
            return {};
    }
}

Qt::ItemFlags GalleryRows::flags(const QModelIndex& index) const {
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled
                           : Qt::NoItemFlags;
}

QMimeData* GalleryRows::mimeData(const QModelIndexList& indexes) const {
    QList<QUrl> files;
    for (const QModelIndex& index : indexes) {
        if (const ImageRecord* image = imageAt(index)) {
            files << QUrl::fromLocalFile(image->path);
        }
    }
    auto* data = new QMimeData;
    data->setUrls(files);
    return data;
}

QStringList GalleryRows::mimeTypes() const {
    return {QLatin1String(kUriList)};
}

Qt::DropActions GalleryRows::supportedDragActions() const {
    return Qt::CopyAction;
}

int GalleryDelegate::imageSide() const {
    return side_ - 2 * kImageInset;
}

QSize GalleryDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    const int side = side_ + 2 * kTileInset;
    return {filledWidth(option, side), side};
}

void GalleryDelegate::paint(QPainter* painter,
                            const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const auto* rows = qobject_cast<const GalleryRows*>(index.model());
    const ImageRecord* image = rows ? rows->imageAt(index) : nullptr;
    if (!image) {
        return;
    }
    const Theme& theme = Theme::current();
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
    const QRect tile = option.rect.adjusted(kTileInset, kTileInset, -kTileInset, -kTileInset);
    const bool isMissing = rows->isMissing(image->id);
    painter->save();
    painter->setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    painter->setPen(QPen(theme.colour(isSelected ? "focus" : "border"), isSelected ? 3 : 1));
    painter->setBrush(theme.colour(isSelected ? "selection" : isHovered ? "hover" : "raised"));
    painter->drawRoundedRect(
        QRectF(tile).adjusted(1, 1, -1, -1), theme.size("radius"), theme.size("radius"));
    const QRect inner = tile.adjusted(kImageInset, kImageInset, -kImageInset, -kImageInset);
    if (const QPixmap small = rows->thumbnail(*image); !small.isNull()) {
        QRectF target(QPointF(0, 0), small.deviceIndependentSize());
        target.moveCenter(QRectF(inner).center());
        painter->setOpacity(isMissing ? 0.4 : 1);
        painter->drawPixmap(target.topLeft().toPoint(), small);
        painter->setOpacity(1);
    } else if (image->hasThumbnail || isMissing) {
        theme.icon(isMissing ? "warning" : "image", "text.muted")
            .paint(painter, inner.adjusted(24, 24, -24, -24), Qt::AlignCenter);
    }
    QRect mark(inner.topRight() - QPoint(kMark - 1, 0), QSize(kMark, kMark));
    if (image->isStarred) {
        paintMark(*painter, mark, "star-filled", "accent");
    }
    if (isSelected) {
        mark.moveTopLeft(inner.topLeft());
        paintMark(*painter, mark, "check", "accent");
    }
    mark.moveTopLeft(inner.bottomLeft() - QPoint(0, kMark - 1));
    if (isMissing) {
        paintMark(*painter, mark, "warning", "warning");
    } else if (video::hasVideoName(image->path.toStdString())) {
        paintMark(*painter, mark, "play", "text");
    }
    painter->restore();
}

}  // namespace lowtide::ui
