#include "ui/studio/pasted_picture.hpp"

#include "ui/bridge/background.hpp"
#include "ui/painting/kept_picture.hpp"

namespace lowtide::ui {

namespace {

/// RGB or RGBA of 8 bits. On another thread.
KeptPicture keepPasted(const QString& folder, const QImage& picture) {
    if (folder.isEmpty()) {
        return {{}, PastedPicture::tr("the folder cannot be made")};
    }
    const auto format = picture.hasAlphaChannel() ? QImage::Format_RGBA8888 : QImage::Format_RGB888;
    return keepPicture(folder, QStringLiteral("pasted"), picture.convertToFormat(format));
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
        [folder = folder_, picture] { return keepPasted(folder, picture); },
        [this, at](const KeptPicture& written) {
            if (written.problem.isEmpty()) {
                Q_EMIT kept(written.path, at);
            } else {
                Q_EMIT refused(tr("The pasted picture could not be kept in “%1”: %2")
                                   .arg(folder_, written.problem));
            }
        });
}

}  // namespace lowtide::ui
