#pragma once

#include "ui/bridge/run_library.hpp"

#include <QAbstractListModel>
#include <QCache>
#include <QPixmap>
#include <QStyledItemDelegate>
#include <QTimer>

#include <map>
#include <set>
#include <vector>

namespace lowtide::ui {

/// Images of all runs as a list, the newest first. Thumbnails are asked for as they come into
/// sight, and kept in bounded memory.
class GalleryRows : public QAbstractListModel {
    Q_OBJECT

public:
    /// Of thumbnails that are kept.
    static constexpr qsizetype kThumbnailBytes = 48 << 20;

    /// `library` must outlive it.
    explicit GalleryRows(RunLibrary& library, QObject* parent = nullptr);

    /// Of a thumbnail, in pixels of the screen: they are kept as they are painted.
    void setSide(int pixels, double scale);
    /// Rows that remain are not reported again, so what is selected remains selected.
    void setImages(std::vector<ImageRecord> images);

    [[nodiscard]] const std::vector<ImageRecord>& images() const { return images_; }

    /// nullptr: no such row.
    [[nodiscard]] const ImageRecord* imageAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOf(int64_t imageId) const;
    [[nodiscard]] QModelIndex indexOfPath(const QString& path) const;
    /// Null: not loaded yet, which asks for it, or none can be made.
    [[nodiscard]] QPixmap thumbnail(const ImageRecord& image) const;

    /// Whether its file was not there when it was looked for, with its thumbnail.
    [[nodiscard]] bool isMissing(int64_t imageId) const { return missing_.contains(imageId); }

    /// That are selected, which a screen reader hears in words.
    void setMarked(std::set<int64_t> marked);

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// The files, for other programs.
    [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
    [[nodiscard]] QStringList mimeTypes() const override;
    [[nodiscard]] Qt::DropActions supportedDragActions() const override;

private:
    void removeGone(const std::set<int64_t>& remaining);
    void fetch();
    void take(std::vector<RunLibrary::Thumbnail> thumbnails);
    void takeMissing(const std::vector<ImageRecord>& asked, const std::set<int64_t>& missing);
    void emitChanged(int64_t imageId);
    [[nodiscard]] QString spokenText(const ImageRecord& image, const QString& name) const;
    void number() const;

    RunLibrary& library_;
    int side_ = RunLibrary::kThumbnailPixels;
    double scale_ = 1;
    std::vector<ImageRecord> images_;
    mutable std::map<int64_t, int> rows_;  ///< by image; empty: to be numbered
    mutable QCache<int64_t, QPixmap> thumbnails_;
    mutable std::set<int64_t> wanted_;  ///< and not asked for yet
    mutable std::set<int64_t> asked_;   ///< without an answer, or there was none yet
    mutable QTimer soon_;
    std::set<int64_t> missing_;
    std::set<int64_t> marked_;
};

/// Paints an image of the gallery: small, with its star, and with a text in place of an image
/// that cannot be shown.
class GalleryDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    /// Pixels of a side.
    static constexpr int kSmall = 96;
    static constexpr int kMedium = 144;
    static constexpr int kLarge = 216;

    using QStyledItemDelegate::QStyledItemDelegate;

    void setSide(int pixels) { side_ = pixels; }

    /// Of the image within: points, not pixels.
    [[nodiscard]] int imageSide() const;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

private:
    int side_ = kMedium;
};

}  // namespace lowtide::ui
