#include "ui/document/opened_graph.hpp"

#include "plugin/graph/preset.hpp"
#include "plugin/image/animation.hpp"
#include "plugin/video/video_file.hpp"
#include "ui/document/encoded.hpp"
#include "ui/document/model_hashes.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <span>

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

bool isAnimatedPicture(const QString& path) {
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

}  // namespace

bool isPicture(const QString& path) {
    const QByteArray begin = beginOf(path, image::kPictureBeginBytes);
    return image::beginsAsPicture(bytesOf(begin)) || image::hasPictureName(encoded(path));
}

bool isVideo(const QString& path) {
    const QByteArray begin = beginOf(path, video::kVideoBeginBytes);
    return video::beginsAsVideo(bytesOf(begin)) || video::hasVideoName(encoded(path)) ||
           isAnimatedPicture(path);
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
    if (isPicture(path)) {
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

}  // namespace lowtide::ui
