#pragma once

#include <QFileInfo>
#include <QImage>
#include <QString>

#include <vector>

namespace lowtide::ui {

/// What became of a file that was to be written.
struct KeptImage {
    QString path;
    QString problem;  ///< why it was not written; empty: it was
};

/// Writes an image as `folder`/`name`-HASH.png, whole or not at all. The hash is that of its
/// bytes, so no other image is written over, and the same one twice is one file.
[[nodiscard]] KeptImage keepImage(const QString& folder, const QString& name, const QImage& image);

/// Files of the folder that keepImage() wrote and nobody changed: their bytes have the hash that
/// their names state. Reads them all.
[[nodiscard]] QFileInfoList keptImagesIn(const QString& folder);

/// One of the masks of an image.
struct NamedMask {
    int number = 1;  ///< among those of its image
    QString name{};  ///< that the user gave; empty: none
    bool isShown = true;
    QImage mask{};
};

/// Masks that somebody paints, by the image that they belong to, so that a killed studio loses no
/// more than what was painted since the last one was kept. Functions may run on any thread.
class UnfinishedMasks {
public:
    /// Newest that are kept.
    static constexpr int kMost = 100;

    explicit UnfinishedMasks(QString folder) : folder_(std::move(folder)) {}

    /// A blank mask is forgotten. Empty: done; otherwise why it was not.
    [[nodiscard]] QString keep(const QString& image, const NamedMask& mask) const;

    /// The first of its image.
    [[nodiscard]] QString keep(const QString& image, const QImage& mask) const {
        return keep(image, NamedMask{.mask = mask});
    }

    /// Null: there is no first one of this size that can be read.
    [[nodiscard]] QImage of(const QString& image, const QSize& size) const;
    /// Those of this size that can be read, by number.
    [[nodiscard]] std::vector<NamedMask> allOf(const QString& image, const QSize& size) const;
    void forget(const QString& image, const QSize& size, int number) const;

private:
    [[nodiscard]] QString fileOf(const QString& image, const QSize& size, int number) const;
    void forgetOldest() const;

    QString folder_;
};

}  // namespace lowtide::ui
