#include "ui/studio/mask_desk.hpp"

#include "ui/document/graph_model.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/painting/kept_picture.hpp"
#include "ui/panels/gallery_files.hpp"

#include <QDir>
#include <QFileInfo>

namespace lowtide::ui {

namespace {

/// In the first folder that takes it; where none does, why the last did not.
KeptPicture keepIn(const QStringList& folders, const QString& name, const QImage& picture) {
    KeptPicture kept;
    for (const QString& folder : folders) {
        kept = keepPicture(folder, name, picture);
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

MaskDesk::MaskDesk(Workspace& workspace,
                   GraphView& canvas,
                   Viewer& viewer,
                   NoticeBar& notices,
                   const Places& places,
                   QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      canvas_(canvas),
      viewer_(viewer),
      notices_(notices),
      places_(places) {
    Retouching& retouching = viewer_.retouching();
    retouching.setFolder(places_.pasted.isEmpty() ? QString() : unfinishedIn(places_.pasted));
    connect(&retouching, &Retouching::maskUsed, this, &MaskDesk::use);
    connect(&retouching, &Retouching::frameAccepted, this, &MaskDesk::frame);
    connect(&retouching, &Retouching::fileWanted, this, &MaskDesk::keep);
}

void MaskDesk::toggle(Retouching::Work work) {
    Retouching& retouching = viewer_.retouching();
    retouching.begin(retouching.work() == work ? Retouching::Work::None : work);
}

QStringList MaskDesk::folders() const {
    QStringList folders;
    if (!workspace_.file.path().isEmpty()) {
        folders << pictureFolderOf(workspace_.file.path());
    }
    return folders << places_.pasted;
}

std::string MaskDesk::named(const QString& path) const {
    const QDir folder(workspace_.file.folder());
    const QString relative = folder.relativeFilePath(path);
    const bool isBeside = !workspace_.file.folder().isEmpty() && !relative.startsWith(u"..") &&
                          QDir::isRelativePath(relative);
    return (isBeside ? relative : path).toStdString();
}

void MaskDesk::use(const QString& picture, const QImage& mask) {
    viewer_.retouching().tell(tr("Writing the mask..."));
    background_.run([this, folders = folders(), picture, mask]() -> Background::Answer {
        const KeptPicture kept = keepIn(folders, QStringLiteral("mask"), mask);
        return [this, kept, picture, size = mask.size()] {
            if (kept.problem.isEmpty()) {
                wire(picture, kept.path, size);
            } else {
                viewer_.retouching().tell(tr("The mask cannot be written: %1").arg(kept.problem));
            }
        };
    });
}

void MaskDesk::wire(const QString& picture, const QString& mask, const QSize& size) {
    const InpaintFiles files{.picture = named(picture),
                             .mask = named(mask),
                             .widthPixels = size.width(),
                             .heightPixels = size.height()};
    InpaintWired wired;
    workspace_.model.endMerging();
    workspace_.model.apply(tr("Inpaint %1").arg(QFileInfo(picture).fileName()),
                           [&](graph::Document& document) {
                               wired = wireInpainting(document,
                                                      workspace_.model.catalog(),
                                                      files,
                                                      canvas_.selectedNodes(),
                                                      canvas_.nodeSizes());
                           });
    viewer_.retouching().end();
    if (wired.refusal == InpaintWired::Refusal::None) {
        notices_.show(NoticeKind::Success,
                      tr("The graph makes the masked part of “%1” anew; every other pixel stays. "
                         "Say in the prompt what belongs there, then press Run.")
                          .arg(QFileInfo(picture).fileName()));
    } else if (wired.refusal == InpaintWired::Refusal::NoSampler) {
        notices_.show(NoticeKind::Warning,
                      tr("No node of this graph fills masks. Open a preset, such as Inpaint, and "
                         "use the mask again; it is kept with its picture."),
                      tr("Presets"),
                      [this] { Q_EMIT presetsAsked(); });
    } else {
        notices_.show(NoticeKind::Warning,
                      tr("No nodes that fill masks are here: start the studio with its engine. The "
                         "mask is kept with its picture."));
    }
    Q_EMIT graphShown();
}

void MaskDesk::showThen(const QString& path, Retouching::Work work, const QString& ofKept) {
    auto* once = new QObject(this);
    connect(&viewer_, &Viewer::shown, once, [this, once, path, work, ofKept] {
        once->deleteLater();
        if (viewer_.path() == path) {  // nobody opened another one meanwhile
            viewer_.retouching().begin(work, ofKept);
        }
    });
    viewer_.showFile(path);
}

void MaskDesk::keep(const QImage& picture, Retouching::Work work) {
    background_.run([this, folders = folders(), picture, work]() -> Background::Answer {
        const QImage plain = picture.convertToFormat(
            picture.hasAlphaChannel() ? QImage::Format_RGBA8888 : QImage::Format_RGB888);
        const KeptPicture kept = keepIn(folders, QStringLiteral("picture"), plain);
        return [this, kept, work] {
            if (kept.problem.isEmpty()) {
                showThen(kept.path, work);
            } else {
                notices_.show(
                    NoticeKind::Warning,
                    tr("The picture has no file yet and cannot be written: %1").arg(kept.problem));
                Q_EMIT graphShown();
            }
        };
    });
}

/// The mask is kept before anybody sees the picture that it belongs to.
void MaskDesk::frame(const QImage& picture, const QRect& frame, int overlap) {
    background_.run([this, folders = folders(), picture, frame, overlap, pasted = places_.pasted]()
                        -> Background::Answer {
        const FramedPicture made = framedPicture(picture, frame, overlap);
        const bool isExtended = !made.mask.isNull();
        KeptPicture kept = keepIn(folders,
                                  isExtended ? QStringLiteral("extended") : QStringLiteral("crop"),
                                  made.picture);
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
                viewer_.retouching().tell(tr("Nothing was written: %1").arg(kept.problem));
            }
        };
    });
}

void MaskDesk::removeUnused() {
    const QString graph = workspace_.file.path();
    if (graph.isEmpty()) {
        notices_.show(NoticeKind::Info,
                      tr("Save the graph first: only masks beside its file can be removed."));
        return;
    }
    background_.run([this, graph, places = places_]() -> Background::Answer {
        const auto found = std::make_shared<PicturesBeside>(picturesBeside(graph, places));
        return [this, graph, found] { askRuns(graph, found); };
    });
}

void MaskDesk::askRuns(const QString& graph, const std::shared_ptr<PicturesBeside>& found) {
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

void MaskDesk::refuse(const QString& problem) {
    notices_.show(NoticeKind::Warning,
                  tr("Nothing is removed, because files may be in use: %1").arg(problem));
}

UsedNames MaskDesk::usedHere() const {
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
void MaskDesk::offerUnused(const QString& graph, const PicturesBeside& found) {
    if (graph != workspace_.file.path()) {
        return;  // another one was opened meanwhile
    }
    const QString name = QFileInfo(graph).fileName();
    const QFileInfoList unused = usedHere().unusedOf(found.used.unusedOf(found.written));
    if (unused.isEmpty()) {
        notices_.show(NoticeKind::Info,
                      tr("There is nothing to remove: all masks, crops and extended images beside "
                         "“%1” are in use.")
                          .arg(name));
        return;
    }
    if (UnusedDialog(unused, name, canvas_.window()).exec() == QDialog::Accepted) {
        moveAway(usedHere().unusedOf(unused));
    }
}

void MaskDesk::moveAway(const QFileInfoList& files) {
    background_.run([this, files]() -> Background::Answer {
        int moved = 0;
        QString problem;
        for (const QFileInfo& file : files) {
            PictureRecord picture;
            picture.path = file.absoluteFilePath();
            problem = moveToWastebasket(picture).problem;
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
