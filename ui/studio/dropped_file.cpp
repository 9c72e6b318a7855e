#include "ui/studio/dropped_file.hpp"

#include "ui/bridge/background.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/studio/arrivals.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QFileInfo>

#include <memory>

namespace lowtide::ui {

namespace {

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

enum class Kind { Image, Video, Model, Graph };

/// A folder is a model, in whichever layout: recognising it determines what it is.
Kind kindOf(const QString& path) {
    if (isVideo(path)) {
        return Kind::Video;
    }
    if (isImage(path)) {
        return Kind::Image;
    }
    return isModelName(path.toStdString()) || QFileInfo(path).isDir() ? Kind::Model : Kind::Graph;
}

/// Nodes that read an image for nothing but a mask.
NodeIds maskFiles(const graph::Document& document, const graph::Catalog& catalog) {
    NodeIds masks;
    NodeIds images;
    for (const graph::Link& link : document.links) {
        const NodeDesc* desc = descOf(document, catalog, link.to.node);
        const bool isMask = desc && inpaintPartOf(*desc) == InpaintPart::MaskMaker;
        (isMask ? masks : images).insert(link.from.node);
    }
    std::erase_if(masks, [&](const std::string& id) { return images.contains(id); });
    return masks;
}

/// The node and parameter whose editor the widget is in, or next to.
DropSpot fieldAt(const QWidget* widget) {
    for (; widget; widget = widget->parentWidget()) {
        const auto* editor = qobject_cast<const ParamEditor*>(widget);
        if (!editor) {
            editor = widget->findChild<ParamEditor*>(QString(), Qt::FindDirectChildrenOnly);
        }
        if (editor && !editor->nodes().empty()) {
            return {.node = editor->nodes().front(), .param = editor->paramId()};
        }
    }
    return {};
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

ImageInput imageInput(const graph::Catalog& catalog) {
    return sourceIn(catalog, imageFileParam);
}

ImageInput videoInput(const graph::Catalog& catalog) {
    return sourceIn(catalog, videoFileParam);
}

DroppedFile::DroppedFile(MainWindowWidgets& widgets, FileCommands& files, ModelCommands& models)
    : widgets_(widgets),
      model_(widgets.workspace.model),
      files_(files),
      models_(models),
      images_(widgets.workspace.settings(), &widgets.window),
      target_(widgets, [this](const QString& file, std::function<void(FileTaker)> done) {
          findTaker(file, std::move(done));
      }) {
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
    connect(&widgets_.canvas, &GraphView::filesDropped, this, &DroppedFile::takeTogether);
    connect(&widgets_.canvas, &GraphView::filesHovered, &target_, &DropTarget::hover);
    connect(&widgets_.canvas, &GraphView::filesLeft, &target_, &DropTarget::leave);
    auto* pasted = new PastedImage(widgets_.appFolders.pasted, this);
    connect(&widgets_.canvas, &GraphView::imagePasted, pasted, &PastedImage::keep);
    connect(pasted, &PastedImage::kept, this, &DroppedFile::useAsInput);
    const auto refuse = [this](const QString& sentence) {
        widgets_.notices.show(NoticeKind::Warning, sentence);
    };
    connect(pasted, &PastedImage::refused, this, refuse);
    connect(&widgets_.canvas, &GraphView::pasteRefused, this, refuse);
    const auto useInMiddle = [this](const QString& path) {
        useAsInput(path, widgets_.middleSpot());
    };
    connect(&widgets_.viewer, &Viewer::useAsInputAsked, this, useInMiddle);
    if (widgets_.gallery) {
        connect(widgets_.gallery, &Gallery::inputAsked, this, useInMiddle);
    }
}

DropSpot DroppedFile::spotUnder(const QWidget* under) const {
    DropSpot spot = widgets_.middleSpot();
    const DropSpot field = fieldAt(under);
    spot.node = field.node;
    spot.param = field.param;
    return spot;
}

void DroppedFile::takeAll(const QStringList& files, const QWidget* under) {
    takeTogether(files, spotUnder(under));
}

void DroppedFile::hover(const QStringList& files, const QWidget* under) {
    target_.hover(files, spotUnder(under));
}

/// A graph is opened, and taken by nothing.
void DroppedFile::findTaker(const QString& path, std::function<void(FileTaker)> done) {
    later(
        this,
        [path] { return kindOf(path); },
        [this, path, done = std::move(done)](Kind kind) {
            if (kind == Kind::Model) {
                models_.findTaker(path, done);
            } else if (kind == Kind::Graph) {
                done({});
            } else {
                done([this, path, isOfVideo = kind == Kind::Video](const DropSpot& spot) {
                    return takerOf(targetFor(model_.document(),
                                             model_.catalog(),
                                             inputOf(path, isOfVideo),
                                             spot,
                                             widgets_.canvas.selectedNodes()));
                });
            }
        });
}

void DroppedFile::takeTogether(const QStringList& files, DropSpot spot) {
    target_.leave();
    spot.taken = std::make_shared<NodeIds>();
    for (const QString& file : files) {
        take(file, spot);
    }
}

/// A field or node that takes an image gets it, whatever graph the image carries.
void DroppedFile::take(const QString& path, const DropSpot& spot) {
    later(
        this,
        [path] { return kindOf(path); },
        [this, path, dropped = spot, document = model_.shown()](Kind kind) {
            const DropSpot landed = widgets_.spotIn(document, dropped);
            const bool isOfVideo = kind == Kind::Video;
            if (isOfVideo || kind == Kind::Image) {
                const FileTarget target = targetFor(
                    model_.document(), model_.catalog(), inputOf(path, isOfVideo), landed, {});
                target.isPointed ? putInput(path, landed, isOfVideo) : images_.take(path, landed);
            } else if (kind == Kind::Model) {
                models_.useFile(path, landed);
            } else {
                files_.openPath(path);
            }
        });
}

void DroppedFile::useAsInput(const QString& path, const DropSpot& spot) {
    later(
        this,
        [path] { return isVideo(path); },
        [this, path, spot, document = model_.shown()](bool isOfVideo) {
            putInput(path, widgets_.spotIn(document, spot), isOfVideo);
        });
}

Arrival DroppedFile::inputOf(const QString& path, bool isOfVideo) const {
    const graph::Catalog& catalog = model_.catalog();
    const auto fileParam = isOfVideo ? videoFileParam : imageFileParam;
    const ImageInput input = sourceIn(catalog, fileParam);
    return {.value = path.toStdString(),
            .fits =
                [fileParam](const NodeDesc& node, const ParamDesc& param) {
                    const ParamDesc* file = fileParam(node);
                    return file && file->id == param.id;
                },
            .newNode = input.desc,
            .newParam = input.param ? input.param->id : std::string(),
            .others = maskFiles(model_.document(), catalog)};
}

void DroppedFile::putInput(const QString& path, const DropSpot& spot, bool isOfVideo) {
    const Arrival arrival = inputOf(path, isOfVideo);
    if (!arrival.newNode) {
        showError(&widgets_.window,
                  isOfVideo ? tr("No input for videos") : tr("No input for images"),
                  isOfVideo ? tr("no node here reads a video from a file")
                            : tr("no node here reads an image from a file"),
                  tr("start the studio with its engine"));
        return;
    }
    putFile(widgets_, arrival, spot);
}

PastedImage::PastedImage(QString folder, QObject* parent)
    : QObject(parent), folder_(std::move(folder)) {}

void PastedImage::keep(const QImage& image, const DropSpot& spot) {
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
        [this, spot](const KeptImage& written) {
            if (written.problem.isEmpty()) {
                Q_EMIT kept(written.path, spot);
            } else {
                Q_EMIT refused(tr("The pasted image could not be kept in “%1”: %2")
                                   .arg(folder_, written.problem));
            }
        });
}

}  // namespace lowtide::ui
