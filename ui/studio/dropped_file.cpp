#include "ui/studio/dropped_file.hpp"

#include "ui/document/edits.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace lowtide::ui {

namespace {

bool isPictureName(const QString& path) {
    return path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
}

}  // namespace

PictureInput pictureInput(const graph::Catalog& catalog) {
    for (const NodeDesc& desc : catalog.nodes()) {
        if (!desc.inputs.empty() || desc.outputs.empty() || desc.outputs.front().type != "IMAGE") {
            continue;
        }
        for (const ParamDesc& param : desc.params) {
            if (param.kind == ParamKind::File) {
                return {&desc, &param};
            }
        }
    }
    return {};
}

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    const QList<QUrl> urls = data->urls();
    for (const QUrl& url : urls) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    return files;
}

DroppedFile::DroppedFile(GraphModel& model,
                         FileCommands& files,
                         Settings& settings,
                         QWidget* window)
    : QObject(window), model_(model), files_(files), pictures_(settings, window), window_(window) {
    connect(&pictures_, &PictureDrop::openGraph, &files_, &FileCommands::openPath);
    connect(&pictures_, &PictureDrop::useAsInput, this, [this](const QString& path) {
        useAsInput(path, at_);
    });
    connect(&pictures_,
            &PictureDrop::refused,
            this,
            [this](const QString& path, const QString& reason) {
                showError(window_,
                          tr("“%1” cannot be used").arg(QFileInfo(path).fileName()),
                          reason,
                          QString());
            });
}

void DroppedFile::take(const QString& path, QPointF at) {
    if (!isPictureName(path)) {
        files_.openPath(path);
        return;
    }
    at_ = at;
    pictures_.take(path);
}

void DroppedFile::useAsInput(const QString& path, QPointF at) {
    const PictureInput input = pictureInput(model_.catalog());
    if (!input.desc) {
        showError(window_,
                  tr("No input for pictures"),
                  tr("no node here reads a picture from a file"),
                  tr("start the studio with its engine"));
        return;
    }
    model_.apply(tr("Use %1").arg(QFileInfo(path).fileName()), [&](graph::Document& document) {
        const std::string id = addNode(document, *input.desc, {at.x(), at.y()});
        document.nodes.at(id).params[input.param->id] = path.toStdString();
    });
}

}  // namespace lowtide::ui
