#include "ui/document/opened_graph.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/graph/preset.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/image/image_header.hpp"
#include "plugin/interop/settings.hpp"
#include "plugin/video/video_file.hpp"
#include "ui/document/json_members.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace lowtide::ui {

namespace {

struct Opening {
    Q_DECLARE_TR_FUNCTIONS(Opening)
};

QByteArray beginOf(const QString& path, size_t bytes) {
    QFile file(path);
    return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly)
               ? file.read(static_cast<qint64>(bytes))
               : QByteArray();
}

std::span<const std::byte> bytesOf(const QByteArray& begin) {
    return std::as_bytes(std::span(begin.constData(), static_cast<size_t>(begin.size())));
}

bool isAnimatedImage(const QString& path) {
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) {
        return false;
    }
    // What cannot be read counts as zeros.
    return image::isAnimation({.size = static_cast<uint64_t>(file.size()),
                               .read = [&](std::span<std::byte> target, uint64_t offset) {
                                   std::ranges::fill(target, std::byte{0});
                                   file.seek(static_cast<qint64>(offset));
                                   file.read(reinterpret_cast<char*>(target.data()),
                                             static_cast<qint64>(target.size()));
                               }});
}

constexpr const char* kHashes = "model_hashes";

/// "dream" for "models\\dream.safetensors".
QString modelStem(const std::string& file) {
    QString path = QString::fromStdString(file);
    return QFileInfo(path.replace(QLatin1Char('\\'), QLatin1Char('/'))).completeBaseName();
}

bool isModelHash(const std::string& text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return text.size() >= 8 && text.size() <= 64 &&
           text.find_first_not_of(kDigits) == std::string::npos;
}

std::string parametersIn(const QString& image) {
    const files::InputFile file(encoded(image));
    for (const image::ImageText& text : graph::readCarriedTexts(file)) {
        if (text.key == "parameters") {
            return text.text;
        }
    }
    return {};
}

}  // namespace

bool isImage(const QString& path) {
    const QByteArray begin = beginOf(path, image::kImageBeginBytes);
    return image::beginsAsImage(bytesOf(begin)) || image::hasImageName(encoded(path));
}

bool isVideo(const QString& path) {
    const QByteArray begin = beginOf(path, video::kVideoBeginBytes);
    return video::beginsAsVideo(bytesOf(begin)) || video::hasVideoName(encoded(path)) ||
           isAnimatedImage(path);
}

QString documentNameOf(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    for (const char* ending :
         {".lowtide.json", ".json", ".png", ".jpg", ".jpeg", ".webp", ".mp4", ".webm"}) {
        if (name.endsWith(QLatin1String(ending), Qt::CaseInsensitive)) {
            return name.chopped(static_cast<qsizetype>(qstrlen(ending)));
        }
    }
    return name;
}

QString graphFolderOf(const QString& path) {
    return path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
}

OpenedGraph openedFile(const QString& path) {
    OpenedGraph opened{
        .document = loadGraph(path), .name = documentNameOf(path), .folder = graphFolderOf(path)};
    if (isImage(path)) {
        keepModelHashes(opened.document, path);
    }
    return opened;
}

OpenedGraph openedBackup(const QString& backup, const QString& path) {
    return {.document = loadGraph(backup),
            .name = Opening::tr("%1 (backup)").arg(documentNameOf(path)),
            .folder = graphFolderOf(path)};
}

graph::Document rebased(const graph::Document& document,
                        const graph::Catalog& catalog,
                        const QString& from,
                        const QString& to) {
    return graph::rebased(document, catalog, encoded(from), encoded(to));
}

void keepModelHashes(graph::Document& document, const std::string& parameters) {
    const std::optional<interop::ImageSettings> settings = interop::readA1111(parameters);
    if (!settings || settings->model.empty() || !isModelHash(settings->modelHash)) {
        return;
    }
    const QString name = QString::fromStdString(settings->model);
    for (const auto& [id, node] : document.nodes) {
        for (const auto& [key, value] : node.params.items()) {
            const std::string file = value.is_string() ? value.get<std::string>() : std::string();
            const QString stem = modelStem(file);
            if (stem.compare(name, Qt::CaseInsensitive) == 0 ||
                QFileInfo(QString::fromStdString(file)).fileName() == name) {
                document.extra[kHashes][file] = settings->modelHash;
            }
        }
    }
}

void keepModelHashes(graph::Document& document, const QString& image) {
    try {
        keepModelHashes(document, parametersIn(image));
    } catch (const Error&) {  // a video, or an image without texts: names alone are known
    }
}

std::string modelHashOf(const graph::Document& document, const std::string& file) {
    return textIn(memberIn(document.extra, kHashes), file.c_str());
}

}  // namespace lowtide::ui
