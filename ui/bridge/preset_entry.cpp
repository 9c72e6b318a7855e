#include "ui/bridge/preset_entry.hpp"

#include "plugin/base/units.hpp"

#include <QBuffer>
#include <QFileInfo>
#include <QImageReader>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kLargestSide = 256;
constexpr int kMostPixels = 1024 * 1024;  ///< of a thumbnail that somebody else made

/// Null when it is damaged or larger than a thumbnail should be: a preset works without.
QImage thumbnailOf(const std::string& base64) {
    const QByteArray bytes = QByteArray::fromBase64(QByteArray::fromStdString(base64));
    QBuffer buffer;
    buffer.setData(bytes);
    QImageReader reader(&buffer, "png");
    const QSize size = reader.size();
    if (!size.isValid() || qint64{size.width()} * size.height() > kMostPixels) {
        return {};
    }
    return reader.read();
}

QString sizeText(const std::string& size) {
    const std::optional<Bytes> bytes = parseBytes(size);
    return bytes ? QStringLiteral("%1 GiB").arg(static_cast<double>(*bytes) / kGiB)
                 : QString::fromStdString(size);
}

QString problemOf(const Error& error) {
    const QString message = QString::fromStdString(error.message());
    return error.hint().empty()
               ? message
               : QStringLiteral("%1. %2").arg(message, QString::fromStdString(error.hint()));
}

}  // namespace

bool PresetEntry::isComplete() const {
    return std::all_of(
        files.begin(), files.end(), [](const RequiredFile& file) { return file.isThere; });
}

PresetEntry entryOf(const graph::PresetFile& file, bool isBuiltin, const IsThere& isThere) {
    PresetEntry entry;
    entry.id = QString::fromStdString((isBuiltin ? "builtin:" : "") + file.id);
    entry.title = QString::fromStdString(file.title());
    entry.isBuiltin = isBuiltin;
    entry.path = QString::fromStdString(file.path);
    if (file.refusal) {
        entry.problem = problemOf(*file.refusal);
        return entry;
    }
    const graph::Preset& preset = file.preset;
    entry.description = QString::fromStdString(preset.description);
    for (const std::string& tag : preset.tags) {
        entry.tags.push_back(QString::fromStdString(tag));
    }
    entry.deviceMemory = preset.deviceMemory.empty() ? QString() : sizeText(preset.deviceMemory);
    entry.thumbnail = thumbnailOf(preset.thumbnail);
    const QString folder = QFileInfo(entry.path).absolutePath();
    for (const auto& [kind, values] : preset.files) {
        for (const std::string& value : values) {
            entry.files.push_back({.kind = QString::fromStdString(kind),
                                   .value = QString::fromStdString(value),
                                   .isThere = !isThere || isThere(value, folder)});
        }
    }
    return entry;
}

std::string thumbnailText(const QImage& picture) {
    if (picture.isNull()) {
        return {};
    }
    const bool isLarge = picture.width() > kLargestSide || picture.height() > kLargestSide;
    const QImage small =
        isLarge ? picture.scaled(
                      kLargestSide, kLargestSide, Qt::KeepAspectRatio, Qt::SmoothTransformation)
                : picture;
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    small.save(&buffer, "PNG");
    return buffer.data().toBase64().toStdString();
}

}  // namespace lowtide::ui
