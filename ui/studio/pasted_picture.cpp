#include "ui/studio/pasted_picture.hpp"

#include "ui/bridge/later.hpp"

#include <QBuffer>
#include <QCryptographicHash>
#include <QDir>
#include <QSaveFile>

namespace lowtide::ui {

namespace {

constexpr int kNameBytes = 8;

struct Written {
    QString path;
    QString problem;  ///< why it was not written; empty: it was
};

QByteArray pngOf(const QImage& picture) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const auto format = picture.hasAlphaChannel() ? QImage::Format_RGBA8888 : QImage::Format_RGB888;
    return picture.convertToFormat(format).save(&buffer, "PNG") ? bytes : QByteArray();
}

Written write(const QString& folder, const QImage& picture) {
    const QByteArray bytes = pngOf(picture);
    if (bytes.isEmpty()) {
        return {{}, PastedPicture::tr("it cannot be written as PNG")};
    }
    if (folder.isEmpty() || !QDir().mkpath(folder)) {
        return {{}, PastedPicture::tr("the folder cannot be made")};
    }
    const QByteArray hash =
        QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).left(kNameBytes).toHex();
    const QString path = QStringLiteral("%1/pasted-%2.png").arg(folder, QString::fromLatin1(hash));
    if (QFile::exists(path)) {
        return {path, {}};
    }
    QSaveFile file(path);
    const bool isWritten =
        file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    return {path, isWritten ? QString() : file.errorString()};
}

}  // namespace

PastedPicture::PastedPicture(QString folder, QObject* parent)
    : QObject(parent), folder_(std::move(folder)) {}

void PastedPicture::keep(const QImage& picture, QPointF at) {
    const qint64 pixels = qint64{picture.width()} * picture.height();
    if (picture.isNull()) {
        Q_EMIT refused(
            tr("The picture in the clipboard cannot be read; save it as a PNG file and "
               "drop that here."));
        return;
    }
    if (pixels > kMostPixels) {
        Q_EMIT refused(tr("The picture in the clipboard has %1 x %2 pixels, more than %3 million; "
                          "save it as a PNG file and drop that here.")
                           .arg(picture.width())
                           .arg(picture.height())
                           .arg(kMostPixels / 1000000));
        return;
    }
    later(
        this,
        [folder = folder_, picture] { return write(folder, picture); },
        [this, at](const Written& written) {
            if (written.problem.isEmpty()) {
                Q_EMIT kept(written.path, at);
            } else {
                Q_EMIT refused(tr("The pasted picture could not be kept in “%1”: %2")
                                   .arg(folder_, written.problem));
            }
        });
}

}  // namespace lowtide::ui
