#pragma once

#include <QListView>

namespace lowtide::ui {

class Gallery;
class GalleryRows;

/// The images of the gallery in one row, below the one that is shown large. Only those in sight
/// are loaded, and their thumbnails are the gallery's.
class Filmstrip : public QListView {
    Q_OBJECT

public:
    /// `gallery` must outlive it.
    explicit Filmstrip(Gallery& gallery, QWidget* parent = nullptr);

    /// The image that is shown; one that the gallery does not show leaves nothing chosen.
    void follow(const QString& path);

    /// Nothing while there are no images.
    [[nodiscard]] QSize sizeHint() const override;

    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    /// The user has gone to another image.
    void wanted(const QString& path);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void step(int by);
    void want(const QModelIndex& index);
    void showFollowed();

    Gallery& gallery_;
    GalleryRows& rows_;
    QString followed_;
};

}  // namespace lowtide::ui
