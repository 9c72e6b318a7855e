#include "ui/studio/mask_controller.hpp"

#include "ui/document/graph_model.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/gallery_files.hpp"

#include <QDir>
#include <QFileInfo>
#include <QInputDialog>

namespace lowtide::ui {

namespace {

/// In the first folder that takes it; where none does, why the last did not.
KeptImage keepIn(const QStringList& folders, const QString& name, const QImage& image) {
    KeptImage kept;
    for (const QString& folder : folders) {
        kept = keepImage(folder, name, image);
        if (kept.problem.isEmpty()) {
            return kept;
        }
    }
    return kept;
}

QString unfinishedIn(const QString& pasted) {
    return pasted + QStringLiteral("/unfinished_masks");
}

}  // namespace

MaskController::MaskController(MainWindowWidgets& widgets)
    : widgets_(widgets),
      workspace_(widgets.workspace),
      viewer_(widgets.viewer),
      notices_(widgets.notices),
      appFolders_(widgets.appFolders) {
    connectActions();
    Retouching& retouching = viewer_.retouching();
    retouching.setFolder(appFolders_.pasted.isEmpty() ? QString()
                                                      : unfinishedIn(appFolders_.pasted));
    connect(&retouching, &Retouching::maskUsed, this, &MaskController::use);
    connect(&retouching, &Retouching::regionWanted, this, &MaskController::useRegion);
    connect(&retouching, &Retouching::frameAccepted, this, &MaskController::frame);
    connect(&retouching, &Retouching::fileWanted, this, &MaskController::keep);
}

/// Work that is done already ends.
void MaskController::connectActions() {
    const std::pair<const char*, Retouching::Work> works[] = {
        {"view.paint_mask", Retouching::Work::Mask}, {"view.crop", Retouching::Work::Frame}};
    for (const auto& [id, work] : works) {
        QAction& action = widgets_.actions.at(id);
        connect(&action, &QAction::triggered, this, [this, work = work] {
            widgets_.centre.setCurrentWidget(&viewer_);
            Retouching& retouching = viewer_.retouching();
            retouching.begin(retouching.work() == work ? Retouching::Work::None : work);
        });
        const auto offer = [this, &action] { action.setEnabled(viewer_.canRetouch()); };
        connect(&viewer_, &Viewer::shown, this, offer);
        offer();
    }
    widgets_.actions.on("file.remove_masks", this, &MaskController::removeUnused);
}

QStringList MaskController::folders() const {
    QStringList folders;
    if (!workspace_.file.path().isEmpty()) {
        folders << imageFolderOf(workspace_.file.path());
    }
    return folders << appFolders_.pasted;
}

std::string MaskController::named(const QString& path) const {
    const QDir folder(workspace_.file.folder());
    const QString relative = folder.relativeFilePath(path);
    const bool isInFolder = !workspace_.file.folder().isEmpty() && !relative.startsWith(u"..") &&
                            QDir::isRelativePath(relative);
    return (isInFolder ? relative : path).toStdString();
}

void MaskController::use(const QString& image, const QImage& mask) {
    viewer_.retouching().showMessage(tr("Writing the mask..."));
    background_.run([this, folders = folders(), image, mask]() -> Background::Answer {
        const KeptImage kept = keepIn(folders, QStringLiteral("mask"), mask);
        return [this, kept, image, size = mask.size()] {
            if (kept.problem.isEmpty()) {
                wire(image, kept.path, size);
            } else {
                viewer_.retouching().showMessage(
                    tr("The mask cannot be written: %1").arg(kept.problem));
            }
        };
    });
}

void MaskController::wire(const QString& image, const QString& mask, const QSize& size) {
    const InpaintFiles files{.image = named(image),
                             .mask = named(mask),
                             .widthPixels = size.width(),
                             .heightPixels = size.height()};
    InpaintWired wired;
    workspace_.model.endMerging();
    workspace_.model.apply(tr("Inpaint %1").arg(QFileInfo(image).fileName()),
                           [&](graph::Document& document) {
                               wired = wireInpainting(document,
                                                      workspace_.model.catalog(),
                                                      files,
                                                      widgets_.canvas.selectedNodes(),
                                                      widgets_.canvas.canvasSizes());
                           });
    viewer_.retouching().end();
    if (wired.refusal == InpaintWired::Refusal::None) {
        notices_.showOfDocument(
            NoticeKind::Success,
            tr("The graph regenerates the masked part of “%1”; every other pixel is kept. "
               "Describe in the prompt what belongs there, then press Run.")
                .arg(QFileInfo(image).fileName()));
    } else if (wired.refusal == InpaintWired::Refusal::NoSampler) {
        notices_.showOfDocument(
            NoticeKind::Warning,
            tr("No node of this graph fills masks. Open a preset, such as Inpaint, and "
               "use the mask again; it is kept with its image."),
            tr("Presets"),
            [this] { widgets_.panels.show("presets"); });
    } else {
        notices_.show(NoticeKind::Warning,
                      tr("No nodes that fill masks are here: start the studio with its engine. The "
                         "mask is kept with its image."));
    }
    widgets_.showGraph();
}

/// A rectangle needs no file.
void MaskController::useRegion(const QString& name, const QRect& rect, const QImage& mask) {
    QInputDialog dialog(&widgets_.window);
    dialog.setObjectName(QStringLiteral("regionPrompt"));
    dialog.setWindowTitle(tr("Prompt for this part"));
    dialog.setLabelText(
        tr("What should this area of %1 x %2 pixels show?").arg(rect.width()).arg(rect.height()));
    dialog.setOption(QInputDialog::UsePlainTextEditForTextInput);
    if (dialog.exec() != QDialog::Accepted || dialog.textValue().trimmed().isEmpty()) {
        return;
    }
    const PromptRegion region{.prompt = dialog.textValue().trimmed().toStdString(),
                              .name = name.toStdString(),
                              .xPixels = rect.left(),
                              .yPixels = rect.top(),
                              .widthPixels = rect.width(),
                              .heightPixels = rect.height(),
                              .imageWidthPixels = mask.width(),
                              .imageHeightPixels = mask.height()};
    background_.run([this, folders = folders(), region, mask]() -> Background::Answer {
        const bool isFree = !isRectangle(mask);
        const KeptImage kept = isFree ? keepIn(folders, QStringLiteral("mask"), mask) : KeptImage();
        return [this, region, kept, isFree] {
            if (!kept.problem.isEmpty()) {
                viewer_.retouching().showMessage(
                    tr("The mask cannot be written: %1").arg(kept.problem));
                return;
            }
            PromptRegion wanted = region;
            wanted.mask = isFree ? named(kept.path) : std::string();
            wireRegion(wanted);
        };
    });
}

void MaskController::wireRegion(const PromptRegion& region) {
    RegionWired wired;
    workspace_.model.endMerging();
    workspace_.model.apply(tr("Prompt for a part"), [&](graph::Document& document) {
        wired = ui::wireRegion(document,
                               workspace_.model.catalog(),
                               region,
                               widgets_.canvas.selectedNodes(),
                               widgets_.canvas.canvasSizes());
    });
    if (wired.refusal != RegionWired::Refusal::None) {
        viewer_.retouching().showMessage(
            wired.refusal == RegionWired::Refusal::NoNodes
                ? tr("The nodes for regional prompts are missing: start the studio with its "
                     "engine.")
                : tr("No node of this graph encodes a prompt that a sampler follows."));
        return;
    }
    viewer_.retouching().end();
    widgets_.canvas.select({wired.encoder});
    notices_.showOfDocument(
        NoticeKind::Success,
        tr("The part follows its own prompt, and the whole image the other one. Press "
           "Run."));
    widgets_.showGraph();
}

void MaskController::showThen(const QString& path, Retouching::Work work, const QString& ofKept) {
    auto* once = new QObject(this);
    connect(&viewer_, &Viewer::shown, once, [this, once, path, work, ofKept] {
        once->deleteLater();
        if (viewer_.path() == path) {  // nobody opened another one meanwhile
            viewer_.retouching().begin(work, ofKept);
        }
    });
    viewer_.showFile(path);
}

void MaskController::keep(const QImage& image, Retouching::Work work) {
    background_.run([this, folders = folders(), image, work]() -> Background::Answer {
        const QImage plain = image.convertToFormat(image.hasAlphaChannel() ? QImage::Format_RGBA8888
                                                                           : QImage::Format_RGB888);
        const KeptImage kept = keepIn(folders, QStringLiteral("picture"), plain);
        return [this, kept, work] {
            if (kept.problem.isEmpty()) {
                showThen(kept.path, work);
            } else {
                notices_.show(
                    NoticeKind::Warning,
                    tr("The image has no file yet and cannot be written: %1").arg(kept.problem));
                widgets_.showGraph();
            }
        };
    });
}

/// The mask is kept before anybody sees the image that it belongs to.
void MaskController::frame(const QImage& image, const QRect& frame, int overlap) {
    background_.run([this,
                     folders = folders(),
                     image,
                     frame,
                     overlap,
                     pasted = appFolders_.pasted]() -> Background::Answer {
        const FramedImage made = framedImage(image, frame, overlap);
        const bool isExtended = !made.mask.isNull();
        KeptImage kept = keepIn(
            folders, isExtended ? QStringLiteral("extended") : QStringLiteral("crop"), made.image);
        if (kept.problem.isEmpty() && isExtended) {
            kept.problem = keepIn(folders, QStringLiteral("mask"), made.mask).problem;
            if (kept.problem.isEmpty()) {
                kept.problem = UnfinishedMasks(unfinishedIn(pasted)).keep(kept.path, made.mask);
            }
        }
        return [this, kept, isExtended] {
            if (kept.problem.isEmpty()) {
                showThen(kept.path,
                         isExtended ? Retouching::Work::Mask : Retouching::Work::None,
                         tr("What is new is masked; paint to change it."));
            } else {
                viewer_.retouching().showMessage(tr("Nothing was written: %1").arg(kept.problem));
            }
        };
    });
}

void MaskController::removeUnused() {
    const QString graph = workspace_.file.path();
    if (graph.isEmpty()) {
        notices_.showOfDocument(
            NoticeKind::Info,
            tr("Save the graph first: only masks next to its file can be removed."));
        return;
    }
    background_.run([this, graph, appFolders = appFolders_]() -> Background::Answer {
        const auto found = std::make_shared<SiblingImages>(siblingImages(graph, appFolders));
        return [this, graph, found] { askRuns(graph, found); };
    });
}

void MaskController::askRuns(const QString& graph, const std::shared_ptr<SiblingImages>& found) {
    if (!found->problem.isEmpty()) {
        refuse(found->problem);
    } else if (!workspace_.library || found->written.isEmpty()) {
        offerUnused(graph, *found);
    } else {
        workspace_.library->visitGraphs(
            [found](const std::string& text) {
                found->used.addFrom(text);
                found->areRunsLost = found->areRunsLost || text.empty();
            },
            this,
            [this, graph, found](const QString& problem) {
                if (!problem.isEmpty()) {
                    refuse(problem);
                } else if (found->areRunsLost) {
                    refuse(
                        tr("The graphs of some earlier runs are lost. Remove their images from the "
                           "gallery first."));
                } else {
                    offerUnused(graph, *found);
                }
            });
    }
}

void MaskController::refuse(const QString& problem) {
    notices_.show(NoticeKind::Warning,
                  tr("Nothing is removed, because files may be in use: %1").arg(problem));
}

UsedNames MaskController::usedHere() const {
    workspace_.run.finishAsked();
    UsedNames used;
    visitTexts(workspace_.model, [&](std::string_view text) { used.addFrom(text); });
    for (const QueuedRun& run : workspace_.queue.runs()) {
        used.addFrom(run.graph);
    }
    for (const QString& file : viewer_.files() + QStringList{viewer_.file(), viewer_.path()}) {
        used.addFrom(file.toStdString());
    }
    return used;
}

/// What was wired while the dialog was open is looked for once more.
void MaskController::offerUnused(const QString& graph, const SiblingImages& found) {
    if (graph != workspace_.file.path()) {
        return;  // another one was opened meanwhile
    }
    const QString name = QFileInfo(graph).fileName();
    const QFileInfoList unused = usedHere().unusedOf(found.used.unusedOf(found.written));
    if (unused.isEmpty()) {
        notices_.showOfDocument(
            NoticeKind::Info,
            tr("There is nothing to remove: all masks, crops and extended images next to "
               "“%1” are in use.")
                .arg(name));
        return;
    }
    if (UnusedDialog(unused, name, &widgets_.window).exec() == QDialog::Accepted) {
        moveAway(usedHere().unusedOf(unused));
    }
}

void MaskController::moveAway(const QFileInfoList& files) {
    background_.run([this, files]() -> Background::Answer {
        int moved = 0;
        QString problem;
        for (const QFileInfo& file : files) {
            ImageRecord image;
            image.path = file.absoluteFilePath();
            problem = moveToWastebasket(image).problem;
            if (!problem.isEmpty()) {
                break;  // there is no wastebasket for the others either
            }
            ++moved;
        }
        return [this, moved, problem] {
            if (moved > 0) {
                notices_.show(NoticeKind::Success,
                              tr("%n files are in the wastebasket.", nullptr, moved));
            }
            if (!problem.isEmpty()) {
                notices_.show(NoticeKind::Warning, problem);
            }
        };
    });
}

}  // namespace lowtide::ui
