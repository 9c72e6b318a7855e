#include "ui/studio/dropped_file.hpp"

#include "ui/bridge/background.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kStep = 32;  ///< from one node to the next that is dropped at the same position

/// The first node type that has such a parameter.
ImageInput sourceIn(const graph::Catalog& catalog,
                    const ParamDesc* (*paramOf)(const NodeDesc& desc)) {
    for (const NodeDesc& desc : catalog.nodes()) {
        if (const ParamDesc* param = paramOf(desc)) {
            return {&desc, param};
        }
    }
    return {};
}

enum class Kind { Image, Model, Graph };

/// A folder is a model, in whichever layout: recognising it determines what it is.
Kind kindOf(const QString& path) {
    if (isImage(path) || isVideo(path)) {
        return Kind::Image;
    }
    return isModelName(path.toStdString()) || QFileInfo(path).isDir() ? Kind::Model : Kind::Graph;
}

/// RGB or RGBA of 8 bits. On another thread.
KeptImage keepPasted(const QString& folder, const QImage& image) {
    if (folder.isEmpty()) {
        return {{}, PastedImage::tr("the folder cannot be made")};
    }
    const auto format = image.hasAlphaChannel() ? QImage::Format_RGBA8888 : QImage::Format_RGB888;
    return keepImage(folder, QStringLiteral("pasted"), image.convertToFormat(format));
}

}  // namespace

Point freePosition(const graph::Document& document, QPointF at) {
    const auto isTaken = [&](const auto& entry) {
        const Point other = positionOf(entry.second);
        return std::abs(other.x - at.x()) < kStep / 2 && std::abs(other.y - at.y()) < kStep / 2;
    };
    while (std::ranges::any_of(document.nodes, isTaken)) {
        at += QPointF(kStep, kStep);
    }
    return {at.x(), at.y()};
}

ImageInput imageInput(const graph::Catalog& catalog) {
    return sourceIn(catalog, imageFileParam);
}

ImageInput videoInput(const graph::Catalog& catalog) {
    return sourceIn(catalog, videoFileParam);
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

DroppedFile::DroppedFile(MainWindowWidgets& widgets, FileCommands& files, ModelCommands& models)
    : widgets_(widgets),
      model_(widgets.workspace.model),
      files_(files),
      models_(models),
      images_(widgets.workspace.settings(), &widgets.window) {
    connectWidgets();
    connect(&images_, &ImageDrop::openGraph, &files_, [this](const QString& path) {
        files_.openPath(path);
    });
    connect(&images_, &ImageDrop::useAsInput, this, &DroppedFile::useAsInput);
    connect(
        &images_, &ImageDrop::refused, this, [this](const QString& path, const QString& reason) {
            showError(&widgets_.window,
                      tr("“%1” cannot be used").arg(QFileInfo(path).fileName()),
                      reason,
                      QString());
        });
}

void DroppedFile::connectWidgets() {
    connect(&widgets_.canvas, &GraphView::fileDropped, this, &DroppedFile::take);
    auto* pasted = new PastedImage(widgets_.appFolders.pasted, this);
    connect(&widgets_.canvas, &GraphView::imagePasted, pasted, &PastedImage::keep);
    connect(pasted, &PastedImage::kept, this, &DroppedFile::useAsInput);
    const auto refuse = [this](const QString& sentence) {
        widgets_.notices.show(NoticeKind::Warning, sentence);
    };
    connect(pasted, &PastedImage::refused, this, refuse);
    connect(&widgets_.canvas, &GraphView::pasteRefused, this, refuse);
    const auto useInMiddle = [this](const QString& path) {
        widgets_.showGraph();
        useAsInput(path, widgets_.middleOfCanvas());
    };
    connect(&widgets_.viewer, &Viewer::useAsInputAsked, this, useInMiddle);
    if (widgets_.gallery) {
        connect(widgets_.gallery, &Gallery::inputAsked, this, useInMiddle);
    }
}

void DroppedFile::takeAll(const QStringList& files) {
    for (const QString& file : files) {
        take(file, widgets_.middleOfCanvas());
    }
}

/// `at`: where on the canvas a node for it would lie.
void DroppedFile::take(const QString& path, QPointF at) {
    later(
        this,
        [path] { return kindOf(path); },
        [this, path, at](Kind kind) {
            if (kind == Kind::Image) {
                images_.take(path, at);
            } else if (kind == Kind::Model) {
                models_.useFile(path, at);
            } else {
                files_.openPath(path);
            }
        });
}

/// Adds a node that reads the image or video, next to what lies there already.
void DroppedFile::useAsInput(const QString& path, QPointF at) {
    later(
        this,
        [path] { return isVideo(path); },
        [this, path, at](bool isOfVideo) { addInput(path, at, isOfVideo); });
}

void DroppedFile::addInput(const QString& path, QPointF at, bool isOfVideo) {
    const ImageInput input =
        isOfVideo ? videoInput(model_.catalog()) : imageInput(model_.catalog());
    if (!input.desc) {
        showError(&widgets_.window,
                  isOfVideo ? tr("No input for videos") : tr("No input for images"),
                  isOfVideo ? tr("no node here reads a video from a file")
                            : tr("no node here reads an image from a file"),
                  tr("start the studio with its engine"));
        return;
    }
    model_.apply(tr("Use %1").arg(QFileInfo(path).fileName()), [&](graph::Document& document) {
        const std::string id = addNode(document, *input.desc, freePosition(document, at));
        document.nodes.at(id).params[input.param->id] = path.toStdString();
    });
}

PastedImage::PastedImage(QString folder, QObject* parent)
    : QObject(parent), folder_(std::move(folder)) {}

void PastedImage::keep(const QImage& image, QPointF at) {
    const qint64 pixels = qint64{image.width()} * image.height();
    if (image.isNull()) {
        Q_EMIT refused(
            tr("The image in the clipboard cannot be read; save it as a PNG file and "
               "drop that here."));
        return;
    }
    if (pixels > kMostPixels) {
        Q_EMIT refused(tr("The image in the clipboard has %1 x %2 pixels, more than %3 million; "
                          "save it as a PNG file and drop that here.")
                           .arg(image.width())
                           .arg(image.height())
                           .arg(kMostPixels / 1000000));
        return;
    }
    later(
        this,
        [folder = folder_, image] { return keepPasted(folder, image); },
        [this, at](const KeptImage& written) {
            if (written.problem.isEmpty()) {
                Q_EMIT kept(written.path, at);
            } else {
                Q_EMIT refused(tr("The pasted image could not be kept in “%1”: %2")
                                   .arg(folder_, written.problem));
            }
        });
}

}  // namespace lowtide::ui
