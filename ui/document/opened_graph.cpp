#include "ui/document/opened_graph.hpp"

#include "plugin/graph/preset.hpp"
#include "plugin/image/picture_file.hpp"
#include "plugin/video/video_file.hpp"
#include "ui/document/encoded.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

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

}  // namespace

bool isPicture(const QString& path) {
    const QByteArray begin = beginOf(path, image::kPictureBeginBytes);
    return image::beginsAsPicture(bytesOf(begin)) || image::hasPictureName(encoded(path));
}

bool isVideo(const QString& path) {
    const QByteArray begin = beginOf(path, video::kVideoBeginBytes);
    return video::beginsAsVideo(bytesOf(begin)) || video::hasVideoName(encoded(path));
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
    return {
        .document = loadGraph(path), .name = documentNameOf(path), .folder = graphFolderOf(path)};
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
