#include "ui/bridge/preset_entry.hpp"

#include "plugin/base/units.hpp"
#include "plugin/image/png.hpp"
#include "plugin/image/png_header.hpp"
#include "ui/language/module_texts.hpp"

#include <QBuffer>
#include <QFileInfo>

#include <algorithm>
#include <span>

namespace lowtide::ui {

namespace {

constexpr int kLargestSide = 256;
constexpr int kMostPixels = 1024 * 1024;  ///< of a thumbnail that somebody else made

/// Null when it is damaged or larger than a thumbnail should be: a preset works without.
QImage thumbnailOf(const std::string& base64) {
    const QByteArray bytes = QByteArray::fromBase64(QByteArray::fromStdString(base64));
    const auto view =
        std::as_bytes(std::span(bytes.constData(), static_cast<size_t>(bytes.size())));
    try {
        const image::PictureSize size = image::pngSize(view, "thumbnail");
        if (size.widthPixels * size.heightPixels > kMostPixels) {
            return {};
        }
        const Image8 picture = image::decodePng(view, "thumbnail").picture;
        const auto format = picture.channels == 1   ? QImage::Format_Grayscale8
                            : picture.channels == 3 ? QImage::Format_RGB888
                                                    : QImage::Format_RGBA8888;
        return QImage(picture.pixels.get(),
                      picture.widthPixels,
                      picture.heightPixels,
                      qsizetype{picture.widthPixels} * picture.channels,
                      format)
            .convertToFormat(QImage::Format_ARGB32_Premultiplied);
    } catch (const Error&) {
        return {};
    }
}

QString refusalText(const Error& error) {
    return errorSentences(error, ". ");
}

}  // namespace

bool PresetEntry::isComplete() const {
    return std::all_of(
        files.begin(), files.end(), [](const RequiredFile& file) { return file.isThere; });
}

PresetEntry entryOf(const graph::PresetFile& file, bool isBuiltin, const IsThere& isThere) {
    PresetEntry entry;
    entry.id = QString::fromStdString((isBuiltin ? "builtin:" : "") + file.id);
    const QString key = QString::fromStdString(file.id);
    const auto text = [&](const char* what, const QString& english) {
        entry.english.push_back(english);
        return isBuiltin ? presetText(key, what, english) : english;
    };
    entry.title = text("title", QString::fromStdString(file.title()));
    entry.isBuiltin = isBuiltin;
    entry.path = QString::fromStdString(file.path);
    if (file.refusal) {
        entry.problem = refusalText(*file.refusal);
        return entry;
    }
    const graph::Preset& preset = file.preset;
    entry.description = text("description", QString::fromStdString(preset.description));
    for (const std::string& tag : preset.tags) {
        entry.tags.push_back(QString::fromStdString(tag));
    }
    entry.cardMemory = parseBytes(preset.deviceMemory).value_or(0);
    entry.thumbnail = thumbnailOf(preset.thumbnail);
    const QString folder = QFileInfo(entry.path).absolutePath();
    for (const auto& [kind, values] : preset.files) {
        for (const std::string& value : values) {
            entry.files.push_back({.kind = QString::fromStdString(kind),
                                   .value = QString::fromStdString(value),
                                   .isThere = !isThere || isThere(value, folder)});
        }
    }
    for (const graph::ExposedParam& exposed : preset.document.exposed) {
        if (const auto node = preset.document.nodes.find(exposed.node);
            node != preset.document.nodes.end()) {
            entry.shown.push_back({exposed.node, node->second.type, exposed.param});
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
