#include "ui/studio/dropped_file.hpp"

#include "ui/bridge/background.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/document/opened_graph.hpp"
#include "ui/models/model_kind.hpp"
#include "ui/painting/kept_picture.hpp"
#include "ui/studio/error_dialog.hpp"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kStep = 32;  ///< from one node to the next that is dropped on the same place

/// The first node type that has such a parameter.
PictureInput sourceIn(const graph::Catalog& catalog,
                      const ParamDesc* (*paramOf)(const NodeDesc& desc)) {
    for (const NodeDesc& desc : catalog.nodes()) {
        if (const ParamDesc* param = paramOf(desc)) {
            return {&desc, param};
        }
    }
    return {};
}

enum class Kind { Picture, Model, Graph };

/// A folder is a model, in whichever layout: recognising it says what it is.
Kind kindOf(const QString& path) {
    if (isPicture(path) || isVideo(path)) {
        return Kind::Picture;
    }
    return isModelName(path.toStdString()) || QFileInfo(path).isDir() ? Kind::Model : Kind::Graph;
}

/// RGB or RGBA of 8 bits. On another thread.
KeptPicture keepPasted(const QString& folder, const QImage& picture) {
    if (folder.isEmpty()) {
        return {{}, PastedPicture::tr("the folder cannot be made")};
    }
    const auto format = picture.hasAlphaChannel() ? QImage::Format_RGBA8888 : QImage::Format_RGB888;
    return keepPicture(folder, QStringLiteral("pasted"), picture.convertToFormat(format));
}

}  // namespace

Point freePlace(const graph::Document& document, QPointF at) {
    const auto isTaken = [&](const auto& entry) {
        const Point other = positionOf(entry.second);
        return std::abs(other.x - at.x()) < kStep / 2 && std::abs(other.y - at.y()) < kStep / 2;
    };
    while (std::any_of(document.nodes.begin(), document.nodes.end(), isTaken)) {
        at += QPointF(kStep, kStep);
    }
    return {at.x(), at.y()};
}

PictureInput pictureInput(const graph::Catalog& catalog) {
    return sourceIn(catalog, pictureFileParam);
}

PictureInput videoInput(const graph::Catalog& catalog) {
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

DroppedFile::DroppedFile(GraphModel& model,
                         FileCommands& files,
                         Settings& settings,
                         QWidget* window)
    : QObject(window), model_(model), files_(files), pictures_(settings, window), window_(window) {
    connect(&pictures_, &PictureDrop::openGraph, &files_, [this](const QString& path) {
        files_.openPath(path);
    });
    connect(&pictures_, &PictureDrop::useAsInput, this, &DroppedFile::useAsInput);
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
    later(
        this,
        [path] { return kindOf(path); },
        [this, path, at](Kind kind) {
            if (kind == Kind::Picture) {
                pictures_.take(path, at);
            } else if (kind == Kind::Model) {
                Q_EMIT modelDropped(path, at);
            } else {
                files_.openPath(path);
            }
        });
}

void DroppedFile::useAsInput(const QString& path, QPointF at) {
    later(
        this,
        [path] { return isVideo(path); },
        [this, path, at](bool isOfVideo) { addInput(path, at, isOfVideo); });
}

void DroppedFile::addInput(const QString& path, QPointF at, bool isOfVideo) {
    const PictureInput input =
        isOfVideo ? videoInput(model_.catalog()) : pictureInput(model_.catalog());
    if (!input.desc) {
        showError(window_,
                  isOfVideo ? tr("No input for videos") : tr("No input for pictures"),
                  isOfVideo ? tr("no node here reads a video from a file")
                            : tr("no node here reads a picture from a file"),
                  tr("start the studio with its engine"));
        return;
    }
    model_.apply(tr("Use %1").arg(QFileInfo(path).fileName()), [&](graph::Document& document) {
        const std::string id = addNode(document, *input.desc, freePlace(document, at));
        document.nodes.at(id).params[input.param->id] = path.toStdString();
    });
}

PastedPicture::PastedPicture(QString folder, QObject* parent)
    : QObject(parent), folder_(std::move(folder)) {}

void PastedPicture::keep(const QImage& picture, QPointF at) {
    const qint64 pixels = qint64{picture.width()} * picture.height();
    if (picture.isNull()) {
        Q_EMIT refused(
            tr("The picture in the clipboard cannot be read; save it as a PNG file and "
               "drop that here."));
        return;
    }
    if (pixels > kMostPixels) {
        Q_EMIT refused(tr("The picture in the clipboard has %1 x %2 pixels, more than %3 million; "
                          "save it as a PNG file and drop that here.")
                           .arg(picture.width())
                           .arg(picture.height())
                           .arg(kMostPixels / 1000000));
        return;
    }
    later(
        this,
        [folder = folder_, picture] { return keepPasted(folder, picture); },
        [this, at](const KeptPicture& written) {
            if (written.problem.isEmpty()) {
                Q_EMIT kept(written.path, at);
            } else {
                Q_EMIT refused(tr("The pasted picture could not be kept in “%1”: %2")
                                   .arg(folder_, written.problem));
            }
        });
}

}  // namespace lowtide::ui
