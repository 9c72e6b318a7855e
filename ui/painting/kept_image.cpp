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

#include <algorithm>

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

// Texts of an unfinished mask.
constexpr QLatin1String kNameKey("mask_name");
constexpr QLatin1String kHiddenKey("mask_hidden");

QImage readMask(const QString& path, const QSize& size) {
    QImageReader reader(path, "png");
    const QImage mask = reader.size() == size ? reader.read() : QImage();
    return mask.isNull() ? mask : mask.convertToFormat(QImage::Format_Grayscale8);
}

/// The same pixels, without the texts of their file: those are not the mask's that is used.
QImage withoutTexts(const QImage& mask) {
    QImage plain(mask.size(), QImage::Format_Grayscale8);
    for (int y = 0; y < mask.height(); ++y) {
        std::copy_n(mask.constScanLine(y), mask.width(), plain.scanLine(y));
    }
    return plain;
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

QString UnfinishedMasks::fileOf(const QString& image, const QSize& size, int number) const {
    const QString key =
        QFileInfo(image).absoluteFilePath() +
        QStringLiteral(" %1x%2").arg(QString::number(size.width()), QString::number(size.height()));
    const QString which = number == 1 ? QString() : QStringLiteral("-%1").arg(number);
    return QStringLiteral("%1/%2%3.png").arg(folder_, hashOf(key.toUtf8()), which);
}

QString UnfinishedMasks::keep(const QString& image, const NamedMask& mask) const {
    const QString path = fileOf(image, mask.mask.size(), mask.number);
    if (isBlank(mask.mask)) {
        QFile::remove(path);
        return {};
    }
    QImage named = mask.mask;
    named.setText(QStringLiteral("picture"), image);
    named.setText(kNameKey, mask.name);
    named.setText(kHiddenKey, mask.isShown ? QString() : QStringLiteral("1"));
    const QByteArray bytes = pngBytes(named, kFastQuality);
    const QString problem =
        writing(folder_, bytes, [&] { files::writeFileAtomically(encoded(path), viewOf(bytes)); });
    if (problem.isEmpty()) {
        forgetOldest();
    }
    return problem;
}

QImage UnfinishedMasks::of(const QString& image, const QSize& size) const {
    return readMask(fileOf(image, size, 1), size);
}

std::vector<NamedMask> UnfinishedMasks::allOf(const QString& image, const QSize& size) const {
    const QString first = QFileInfo(fileOf(image, size, 1)).completeBaseName();
    std::vector<NamedMask> masks;
    for (const QFileInfo& file :
         QDir(folder_).entryInfoList({first + QStringLiteral("*.png")}, QDir::Files)) {
        const QString behind = file.completeBaseName().mid(first.size());
        const int number = behind.isEmpty() ? 1 : -behind.toInt();  // "-2"
        const QImage mask = number > 0 ? readMask(file.filePath(), size) : QImage();
        if (!mask.isNull()) {
            masks.push_back({.number = number,
                             .name = mask.text(kNameKey),
                             .isShown = mask.text(kHiddenKey).isEmpty(),
                             .mask = withoutTexts(mask)});
        }
    }
    std::ranges::sort(masks, {}, &NamedMask::number);
    return masks;
}

void UnfinishedMasks::forget(const QString& image, const QSize& size, int number) const {
    QFile::remove(fileOf(image, size, number));
}

void UnfinishedMasks::forgetOldest() const {
    const QFileInfoList files =
        QDir(folder_).entryInfoList({QStringLiteral("*.png")}, QDir::Files, QDir::Time);
    for (qsizetype i = kMost; i < files.size(); ++i) {
        QFile::remove(files.at(i).absoluteFilePath());
    }
}

}  // namespace lowtide::ui
