#include "ui/panels/gallery_rows.hpp"

#include "plugin/video/video_file.hpp"
#include "ui/theme/theme.hpp"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QMimeData>
#include <QPainter>
#include <QPainterPath>
#include <QUrl>

#include <algorithm>
#include <memory>

namespace lowtide::ui {

namespace {

constexpr const char* kUriList = "text/uri-list";

QString madeText(const PictureRecord& picture) {
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(picture.made), QLocale::ShortFormat);
}

bool isSamePicture(const PictureRecord& left, const PictureRecord& right) {
    return left.path == right.path && left.isStarred == right.isStarred &&
           left.size == right.size && left.hasThumbnail == right.hasThumbnail;
}

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

GalleryRows::GalleryRows(RunLibrary& library, QObject* parent)
    : QAbstractListModel(parent), library_(library), thumbnails_(kThumbnailBytes) {
    soon_.setSingleShot(true);
    soon_.setInterval(0);
    connect(&soon_, &QTimer::timeout, this, &GalleryRows::fetch);
    connect(&library_, &RunLibrary::thumbnailMade, this, [this](qint64 picture) {
        thumbnails_.remove(picture);
        tellChanged(picture);
    });
}

void GalleryRows::setSide(int pixels, double scale) {
    if (pixels == side_ && scale == scale_) {
        return;
    }
    side_ = pixels;
    scale_ = scale;
    thumbnails_.clear();
    if (!pictures_.empty()) {
        Q_EMIT dataChanged(index(0), index(static_cast<int>(pictures_.size()) - 1));
    }
}

void GalleryRows::number() const {
    for (size_t row = 0; row < pictures_.size(); ++row) {
        rows_[pictures_[row].id] = static_cast<int>(row);
    }
}

void GalleryRows::removeGone(const std::set<int64_t>& staying) {
    const auto isGone = [&](int row) {
        return row >= 0 && !staying.contains(pictures_[static_cast<size_t>(row)].id);
    };
    for (auto last = static_cast<int>(pictures_.size()) - 1; last >= 0; --last) {
        if (!isGone(last)) {
            continue;
        }
        int first = last;
        while (isGone(first - 1)) {
            --first;
        }
        beginRemoveRows({}, first, last);
        pictures_.erase(pictures_.begin() + first, pictures_.begin() + last + 1);
        rows_.clear();
        endRemoveRows();
        last = first;
    }
}

void GalleryRows::setPictures(std::vector<PictureRecord> pictures) {
    constexpr size_t kFewGone = 64;
    std::set<int64_t> staying;
    for (const PictureRecord& picture : pictures) {
        staying.insert(picture.id);
    }
    const auto gone = static_cast<size_t>(
        std::count_if(pictures_.begin(), pictures_.end(), [&](const PictureRecord& picture) {
            return !staying.contains(picture.id);
        }));
    if (gone <= kFewGone) {
        removeGone(staying);
    }
    const size_t more = pictures.size() - std::min(pictures.size(), pictures_.size());
    const bool areBehind = pictures.size() >= pictures_.size() &&
                           std::equal(pictures_.begin(),
                                      pictures_.end(),
                                      pictures.begin() + static_cast<std::ptrdiff_t>(more),
                                      [](const PictureRecord& left, const PictureRecord& right) {
                                          return left.id == right.id;
                                      });
    if (!areBehind) {
        beginResetModel();
        pictures_ = std::move(pictures);
        rows_.clear();
        endResetModel();
        return;
    }
    for (size_t row = 0; row < pictures_.size(); ++row) {
        const PictureRecord& now = pictures[more + row];
        if (!isSamePicture(pictures_[row], now)) {
            pictures_[row] = now;
            tellChanged(now.id);
        }
    }
    if (more > 0) {
        beginInsertRows({}, 0, static_cast<int>(more) - 1);
        pictures_ = std::move(pictures);
        rows_.clear();
        endInsertRows();
    }
}

const PictureRecord* GalleryRows::pictureAt(const QModelIndex& index) const {
    const auto row = static_cast<size_t>(index.row());
    return index.isValid() && row < pictures_.size() ? &pictures_[row] : nullptr;
}

QModelIndex GalleryRows::indexOf(int64_t picture) const {
    if (rows_.empty()) {
        number();
    }
    const auto row = rows_.find(picture);
    return row == rows_.end() ? QModelIndex() : index(row->second);
}

QModelIndex GalleryRows::indexOfPath(const QString& path) const {
    const auto found =
        std::find_if(pictures_.begin(), pictures_.end(), [&](const PictureRecord& picture) {
            return picture.path == path;
        });
    return found == pictures_.end() ? QModelIndex()
                                    : index(static_cast<int>(found - pictures_.begin()));
}

QPixmap GalleryRows::thumbnail(const PictureRecord& picture) const {
    if (const QPixmap* known = thumbnails_.object(picture.id)) {
        return *known;
    }
    if (!asked_.contains(picture.id)) {
        wanted_.insert(picture.id);
        soon_.start();
    }
    return {};
}

void GalleryRows::fetch() {
    std::vector<PictureRecord> wanted;
    for (const int64_t picture : wanted_) {
        if (const PictureRecord* known = pictureAt(indexOf(picture))) {
            wanted.push_back(*known);
            asked_.insert(picture);
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
        asked_.erase(each.picture);
        auto small = std::make_unique<QPixmap>(QPixmap::fromImage(each.image));
        small->setDevicePixelRatio(scale_);
        thumbnails_.insert(
            each.picture, small.release(), std::max<qsizetype>(1, each.image.sizeInBytes()));
        tellChanged(each.picture);
    }
}

void GalleryRows::takeMissing(const std::vector<PictureRecord>& asked,
                              const std::set<int64_t>& missing) {
    for (const PictureRecord& picture : asked) {
        const bool isMissing = missing.contains(picture.id);
        if (isMissing != missing_.contains(picture.id)) {
            isMissing ? static_cast<void>(missing_.insert(picture.id))
                      : static_cast<void>(missing_.erase(picture.id));
            tellChanged(picture.id);
        }
    }
}

void GalleryRows::tellChanged(int64_t picture) {
    if (const QModelIndex index = indexOf(picture); index.isValid()) {
        Q_EMIT dataChanged(index, index);
    }
}

void GalleryRows::setMarked(std::set<int64_t> marked) {
    marked_ = std::move(marked);
}

int GalleryRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(pictures_.size());
}

/// What its marks show too.
QString GalleryRows::spokenText(const PictureRecord& picture, const QString& name) const {
    QString text = tr("%1, %2, %3").arg(name, picture.title, madeText(picture));
    if (picture.isStarred) {
        text = tr("%1, starred").arg(text);
    }
    if (marked_.contains(picture.id)) {
        text = tr("%1, marked").arg(text);
    }
    return isMissing(picture.id) ? tr("%1, its file is gone").arg(text) : text;
}

QVariant GalleryRows::data(const QModelIndex& index, int role) const {
    const PictureRecord* picture = pictureAt(index);
    if (!picture) {
        return {};
    }
    const QString name = QFileInfo(picture->path).fileName();
    switch (role) {
        case Qt::DisplayRole:
            return name;
        case Qt::AccessibleTextRole:
            return spokenText(*picture, name);
        case Qt::ToolTipRole:
            return picture->size.isEmpty()
                       ? tr("%1\n%2\n%3").arg(name, picture->title, madeText(*picture))
                       : tr("%1\n%2\n%3 x %4 pixels, %5")
                             .arg(name,
                                  picture->title,
                                  QString::number(picture->size.width()),
                                  QString::number(picture->size.height()),
                                  madeText(*picture));
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
        if (const PictureRecord* picture = pictureAt(index)) {
            files << QUrl::fromLocalFile(picture->path);
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
