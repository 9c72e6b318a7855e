#pragma once

#include <QImage>
#include <QObject>
#include <QPointF>
#include <QString>

namespace lowtide::ui {

/// Keeps pictures of the clipboard as PNG files, so that a node can read them. Their name tells
/// their pixels: the same picture pasted twice is one file.
class PastedPicture : public QObject {
    Q_OBJECT

public:
    /// `folder` is made when the first picture is kept.
    PastedPicture(QString folder, QObject* parent);

    /// Most pixels that are kept.
    static constexpr qint64 kMostPixels = 64LL * 1024 * 1024;

    /// Writes the file on another thread, then emits one of the signals.
    void keep(const QImage& picture, QPointF at);

Q_SIGNALS:
    void kept(const QString& path, const QPointF& at);
    void refused(const QString& sentence);

private:
    QString folder_;
};

}  // namespace lowtide::ui
