#include "ui/painting/kept_image.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/painting/mask_ops.hpp"

#include <QBuffer>
#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QImageReader>
#include <QRegularExpression>

namespace lowtide::ui {

namespace {

class Words {
    Q_DECLARE_TR_FUNCTIONS(KeptImage)
};

constexpr int kHashBytes = 8;
/// Little effort: masks are mostly even, and are kept once a second.
constexpr int kFastQuality = 80;

QString hashOf(const QByteArray& bytes) {
    return QString::fromLatin1(
        QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).left(kHashBytes).toHex());
}

QByteArray pngBytes(const QImage& image, int quality) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return image.save(&buffer, "PNG", quality) ? bytes : QByteArray();
}

std::string_view viewOf(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<size_t>(bytes.size())};
}

/// Why `write` does not write the bytes into the folder; empty: it did.
template <class Write>
QString writing(const QString& folder, const QByteArray& bytes, const Write& write) {
    if (bytes.isEmpty()) {
        return Words::tr("it cannot be written as PNG");
    }
    try {
        files::makeFolders(encoded(folder));
        write();
        return {};
    } catch (const Error& error) {
        return errorText(error);
    }
}

}  // namespace

KeptImage keepImage(const QString& folder, const QString& name, const QImage& image) {
    const QByteArray bytes = pngBytes(image, -1);
    const QString path = QStringLiteral("%1/%2-%3").arg(folder, name, hashOf(bytes));
    QString free = path + QStringLiteral(".png");
    int number = 2;
    const auto next = [&] { return path + QStringLiteral("-%1.png").arg(number++); };
    while (QFile::exists(free)) {
        QFile there(free);
        if (there.open(QIODevice::ReadOnly) && there.readAll() == bytes) {
            return {free, {}};
        }
        free = next();  // somebody changed that one
    }
    const QString problem = writing(folder, bytes, [&] {
        files::OutputFile file(encoded(free));
        file.write(viewOf(bytes));
        static_cast<void>(file.commitAsNew([&] {
            free = next();
            return encoded(free);
        }));
    });
    return {free, problem};
}

QFileInfoList keptImagesIn(const QString& folder) {
    static const QRegularExpression scheme(
        QStringLiteral("^[a-z]+-([0-9a-f]{%1})(-[0-9]+)?[.]png$").arg(2 * kHashBytes));
    QFileInfoList kept;
    for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files | QDir::NoSymLinks)) {
        const QRegularExpressionMatch name = scheme.match(file.fileName());
        QFile bytes(file.absoluteFilePath());
        if (name.hasMatch() && bytes.open(QIODevice::ReadOnly) &&
            hashOf(bytes.readAll()) == name.captured(1)) {
            kept << file;
        }
    }
    return kept;
}

QString UnfinishedMasks::fileOf(const QString& image, const QSize& size) const {
    const QString key =
        QFileInfo(image).absoluteFilePath() +
        QStringLiteral(" %1x%2").arg(QString::number(size.width()), QString::number(size.height()));
    return QStringLiteral("%1/%2.png").arg(folder_, hashOf(key.toUtf8()));
}

QString UnfinishedMasks::keep(const QString& image, const QImage& mask) const {
    const QString path = fileOf(image, mask.size());
    if (isBlank(mask)) {
        QFile::remove(path);
        return {};
    }
    QImage named = mask;
    named.setText(QStringLiteral("picture"), image);
    const QByteArray bytes = pngBytes(named, kFastQuality);
    const QString problem =
        writing(folder_, bytes, [&] { files::writeFileAtomically(encoded(path), viewOf(bytes)); });
    if (problem.isEmpty()) {
        forgetOldest();
    }
    return problem;
}

QImage UnfinishedMasks::of(const QString& image, const QSize& size) const {
    QImageReader reader(fileOf(image, size), "png");
    const QImage mask = reader.size() == size ? reader.read() : QImage();
    return mask.isNull() ? mask : mask.convertToFormat(QImage::Format_Grayscale8);
}

void UnfinishedMasks::forgetOldest() const {
    const QFileInfoList files =
        QDir(folder_).entryInfoList({QStringLiteral("*.png")}, QDir::Files, QDir::Time);
    for (qsizetype i = kMost; i < files.size(); ++i) {
        QFile::remove(files.at(i).absoluteFilePath());
    }
}

}  // namespace lowtide::ui
