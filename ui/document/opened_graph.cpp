#include "ui/document/opened_graph.hpp"

#include "plugin/graph/preset.hpp"
#include "plugin/image/picture_file.hpp"
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

}  // namespace

bool isPicture(const QString& path) {
    QFile file(path);
    const QByteArray begin = QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly)
                                 ? file.read(static_cast<qint64>(image::kPictureBeginBytes))
                                 : QByteArray();
    const std::span bytes(begin.constData(), static_cast<size_t>(begin.size()));
    return image::beginsAsPicture(std::as_bytes(bytes)) || image::hasPictureName(encoded(path));
}

QString documentNameOf(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    for (const char* ending : {".lowtide.json", ".json", ".png", ".jpg", ".jpeg", ".webp"}) {
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
