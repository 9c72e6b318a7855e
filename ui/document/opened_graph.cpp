#include "ui/document/opened_graph.hpp"

#include "plugin/graph/preset.hpp"
#include "ui/document/encoded.hpp"
#include "ui/document/saved_file.hpp"

#include <QCoreApplication>
#include <QFileInfo>

namespace lowtide::ui {

namespace {

struct Opening {
    Q_DECLARE_TR_FUNCTIONS(Opening)
};

constexpr const char* kPictureEnding = ".png";

}  // namespace

bool isPicture(const QString& path) {
    return path.endsWith(QLatin1String(kPictureEnding), Qt::CaseInsensitive);
}

QString documentNameOf(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    for (const char* ending : {".lowtide.json", ".json", kPictureEnding}) {
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
