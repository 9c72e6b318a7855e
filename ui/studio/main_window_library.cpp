// The parts of the main window controller that show what lies on the disk: presets, models,
// images, sheets and what is done with their cells, the strip of images below the viewer.
#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/run_log.hpp"
#include "ui/document/node_title.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/panels/filmstrip.hpp"
#include "ui/panels/first_start.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/panels/presets_browser.hpp"
#include "ui/prompts/resolved_graph.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/studio/image_presets.hpp"
#include "ui/studio/input_images.hpp"
#include "ui/studio/main_window_controller.hpp"
#include "ui/studio/mask_controller.hpp"
#include "ui/studio/run_notices.hpp"

#include <QFileInfo>

#include <optional>
#include <utility>

namespace lowtide::ui {

void MainWindowController::buildLibrary() {
    presets_ = new PresetsBrowser(workspace_.presets);
    panels_.add("presets", tr("Presets"), presets_, Qt::LeftDockWidgetArea);
    connect(
        presets_, &PresetsBrowser::openAsked, this, [this](const QString& id) { openPreset(id); });
    connect(presets_, &PresetsBrowser::saveAsked, this, &MainWindowController::savePreset);
    auto* needs = new PresetNeeds(workspace_.engine.runner(), workspace_.presets, this);
    connect(presets_, &PresetsBrowser::needsAsked, needs, &PresetNeeds::ask);
    const auto passOptions = [this, needs] { needs->setOptions(workspace_.planning.options()); };
    connect(&workspace_.planning, &Planning::answered, needs, passOptions);
    passOptions();
    connect(needs, &PresetNeeds::answered, presets_, &PresetsBrowser::setNeeds);
    connect(presets_,
            &PresetsBrowser::locateAsked,
            this,
            [this](const QString& id, const QString&, const QString& file) {
                openPreset(id, [this, file](bool isOpen) {
                    if (isOpen) {
                        locate_.locate(file.toStdString());
                    }
                });
            });
    buildModels();
}

void MainWindowController::buildLog() {
    auto* log = new LogPanel(parts_.log);
    panels_.add("log", tr("Log"), log, Qt::BottomDockWidgetArea);
    new RunLog(workspace_.queue, this);
    connect(log, &LogPanel::reportAsked, &parts_.actions.at("help.report"), &QAction::trigger);
    connect(log, &LogPanel::saved, this, [this](const QString& path, const QString& problem) {
        if (problem.isEmpty()) {
            notices_->show(NoticeKind::Success, tr("The log is saved as %1.").arg(path));
        } else {
            notices_->show(NoticeKind::Error, tr("The log is not saved: %1.").arg(problem));
        }
    });
}

void MainWindowController::connectConversion() {
    connect(&convert_, &ConvertModel::used, this, [this](const auto& node, const auto& param) {
        notices_->show(
            NoticeKind::Info,
            tr("Weights of this model remain on the device as its file has them, and are "
               "decoded in every forward pass: less memory, more time."));
        reveal(node, param);
    });
    connect(&convert_, &ConvertModel::refused, this, [this](const QString& sentence) {
        notices_->show(NoticeKind::Info, sentence);
    });
}

void MainWindowController::buildViewer() {
    viewer_ = new Viewer(centre_);
    viewer_->setCatalog(&workspace_.model.catalog());
    centre_->addTab(viewer_, tr("Viewer"));
    viewer_->setPresets(presetsFor(*viewer_, [this] { return viewer_->path(); }));
    new LiveView(workspace_, *viewer_, this);
    new InputImages(workspace_.model, workspace_.statuses, workspace_.file, this);
    connect(viewer_, &Viewer::openGraphAsked, this, &MainWindowController::openGraphOfImage);
    connect(viewer_, &Viewer::useAsInputAsked, this, &MainWindowController::useAsInput);
    masks_ = new MaskController(workspace_, *canvas_, *viewer_, *notices_, parts_.appFolders, this);
    const auto offerMasks = [this] {
        for (const char* action : {"view.paint_mask", "view.crop"}) {
            parts_.actions.at(action).setEnabled(viewer_->canRetouch());
        }
    };
    connect(viewer_, &Viewer::shown, this, offerMasks);
    offerMasks();
    connect(masks_, &MaskController::graphShown, this, [this] { centre_->setCurrentIndex(0); });
    connect(masks_, &MaskController::presetsAsked, this, [this] { panels_.show("presets"); });
    connect(canvas_, &GraphView::imageActivated, this, [this](const std::string& node) {
        const NodeStatus& status = workspace_.statuses.of(node);
        if (status.step) {
            viewer_->setFollowing(true);
            showViewer();
        } else if (status.files.isEmpty()) {
            viewImage(status.wholeImage.isNull() ? status.nodeImage : status.wholeImage,
                      nodeTitle(workspace_.model.document(), workspace_.model.catalog(), node),
                      status.shownSize);
        } else {
            viewImage(status.files.back());
        }
    });
}

void MainWindowController::buildGallery() {
    if (!workspace_.library) {
        return;
    }
    gallery_ = new Gallery(*workspace_.library, centre_);
    buildFilmstrip();
    centre_->addTab(gallery_, tr("Gallery"));
    earlier_ = new GalleryController(workspace_, *gallery_, files_, *notices_, &parts_.window);
    connect(
        earlier_, &GalleryController::graphShown, this, [this] { centre_->setCurrentIndex(0); });
    gallery_->setPresets(presetsFor(*gallery_, [this] {
        const std::vector<ImageRecord> chosen = gallery_->selected();
        return chosen.empty() ? QString() : chosen.front().path;
    }));
    connect(gallery_, &Gallery::inputAsked, this, &MainWindowController::useAsInput);
    connect(gallery_, &Gallery::viewAsked, this, [this](const QString& path) {
        if (viewer_->isLive()) {
            viewer_->setFollowing(false);
        }
        viewer_->showFiles(gallery_->files(), path);
        showViewer();
    });
    connect(
        gallery_, &Gallery::compareAsked, this, [this](const QString& left, const QString& right) {
            if (viewer_->isLive()) {
                viewer_->setFollowing(false);
            }
            viewer_->compareFiles(left, right);
            showViewer();
        });
}

void MainWindowController::offerLeftOpen() {
    if (earlier_) {
        earlier_->offerLeftOpen();
    }
}

QMenu* MainWindowController::presetsFor(QWidget& owner, std::function<QString()> nodeImage) {
    auto* menu = new ImagePresets(
        workspace_.presets, workspace_.model.catalog(), std::move(nodeImage), &owner);
    connect(menu, &ImagePresets::chosen, this, [this](const QString& id, const QString& chosen) {
        openPresetWith(id, chosen, {});
    });
    return menu;
}

void MainWindowController::useAsInput(const QString& path) {
    centre_->setCurrentIndex(0);
    dropped_.useAsInput(path, middleOfCanvas());
}

void MainWindowController::showViewer() {
    centre_->setCurrentWidget(viewer_);
    viewer_->takeFocus();
}

void MainWindowController::viewImage(const QString& file) {
    if (viewer_->isLive()) {
        viewer_->setFollowing(false);
    }
    viewer_->showFiles(workspace_.queue.history().siblingFiles(file), file);
    showViewer();
}

void MainWindowController::viewImage(const QImage& nodeImage,
                                     const QString& title,
                                     const QSize& size) {
    if (viewer_->isLive()) {
        viewer_->setFollowing(false);
    }
    viewer_->showImage(nodeImage, title, size);
    showViewer();
}

/// An image names files without their folders; the queue still knows where they lie.
void MainWindowController::openGraphOfImage(const QString& file) {
    if (const QueuedRun* run = workspace_.queue.history().writerOf(file)) {
        openGraphOf(run->id);
    } else {
        files_.openPath(file);
    }
}

void MainWindowController::showImageOf(quint64 run) {
    const QueuedRun* queued = workspace_.queue.find(run);
    if (queued && !queued->files.isEmpty()) {
        viewImage(queued->files.back());
    } else if (const QImage nodeImage = queued ? queued->largest() : QImage();
               !nodeImage.isNull()) {
        viewImage(nodeImage, queued->title, queued->nodeImage.size);
    }
}

void MainWindowController::openPreset(const QString& id, const FileCommands::Then& then) {
    openPresetWith(id, {}, then);
}

/// What made it, with the prompts as they were drawn; none where nobody knows, as of a photo.
void MainWindowController::askGraphOfImage(
    const QString& file, const std::function<void(const std::optional<graph::Document>&)>& then) {
    const QueuedRun* run = workspace_.queue.history().writerOf(file);
    workspace_.file.look(
        this,
        file,
        [file, text = run ? run->graph : std::string()]() -> std::optional<graph::Document> {
            try {
                return text.empty() ? loadGraph(file) : graph::parseDocument(text);
            } catch (const Error&) {
                return std::nullopt;
            }
        },
        [this, then](std::optional<graph::Document> made) {
            if (made) {
                keepPrompts(*made, workspace_.model.catalog());
            }
            then(made);
        });
}

void MainWindowController::openPresetWith(const QString& id,
                                          const QString& nodeImage,
                                          const FileCommands::Then& then) {
    if (nodeImage.isEmpty()) {
        openPresetLike(id, {}, {}, then);
        return;
    }
    askGraphOfImage(nodeImage, [this, id, nodeImage, then](const auto& made) {
        openPresetLike(id, nodeImage, made, then);
    });
}

void MainWindowController::openPresetLike(const QString& id,
                                          const QString& nodeImage,
                                          const std::optional<graph::Document>& made,
                                          const FileCommands::Then& then) {
    const PresetEntry* entry = workspace_.presets.find(id);
    if (!entry) {
        return;
    }
    try {
        OpenedGraph opened{
            .document = workspace_.presets.open(id), .name = entry->title, .folder = {}};
        if (const ShownParam* input =
                nodeImage.isEmpty() ? nullptr
                                    : imageParam(*entry, workspace_.model.catalog(), nodeImage)) {
            opened.document.nodes.at(input->node).params[input->param] = nodeImage.toStdString();
        }
        const size_t left =
            made ? takePrompts(opened.document, *made, workspace_.model.catalog()) : 0;
        files_.openDocument(std::move(opened),
                            [this, id, title = entry->title, left, then](bool isOpen) {
                                if (isOpen) {
                                    showPreset(id, title, left);
                                }
                                if (then) {
                                    then(isOpen);
                                }
                            });
    } catch (const Error& error) {
        showError(&parts_.window, tr("“%1” cannot be opened").arg(entry->title), error);
    }
}

/// `left`: prompts of the image that have no input in it.
void MainWindowController::showPreset(const QString& id, const QString& title, size_t left) {
    presets_->choose(id);
    centre_->setCurrentIndex(0);
    if (left > 0) {
        notices_->show(
            NoticeKind::Info,
            tr("“%1” has no place for %n prompts of the image.", nullptr, static_cast<int>(left))
                .arg(title));
    }
}

void MainWindowController::savePreset() {
    QImage thumbnail;
    for (const auto& [id, node] : workspace_.model.document().nodes) {
        const NodeDesc* desc = workspace_.model.desc(id);
        if (desc && desc->output && !workspace_.statuses.of(id).nodeImage.isNull()) {
            thumbnail = workspace_.statuses.of(id).nodeImage;
        }
    }
    PresetDialog dialog({.title = workspace_.file.name(), .description = {}, .tags = {}},
                        thumbnail,
                        &parts_.window);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    try {
        const PresetText text = dialog.text();
        presets_->choose(workspace_.presets.save(
            text, workspace_.model.document(), workspace_.file.folder(), thumbnail));
        workspace_.file.keptAsPreset(text.title);
        notices_->show(NoticeKind::Success, tr("Saved as the preset “%1”.").arg(text.title));
    } catch (const Error& error) {
        showError(&parts_.window, tr("The preset is not saved"), error);
    }
}

void MainWindowController::showFirstStart() {
    FirstStart dialog(parts_.settings,
                      workspace_.presets,
                      foundDevice(workspace_.memory.now().devices),
                      &parts_.window);
    connect(&workspace_.memory, &MemoryFeed::changed, &dialog, [&dialog](const MemoryNow& now) {
        dialog.setDevice(foundDevice(now.devices));
    });
    workspace_.memory.askNow();
    connect(
        &dialog, &FirstStart::presetChosen, this, [this](const QString& id) { openPreset(id); });
    if (dialog.exec() == FirstStart::kLanguageChosen) {
        Q_EMIT firstStartAsked();
    }
}

void MainWindowController::buildSheets() {
    if (!workspace_.library) {
        return;
    }
    sheet_ = new SheetView(centre_);
    centre_->addTab(sheet_, tr("Sheet"));
    sheets_ = new SheetController(workspace_, *sheet_, *notices_, &parts_.window);
    inspector_->offerSheets();
    canvas_->offerSheets();
    const auto vary = [this](const std::string& node, const std::string& item, bool areRows) {
        if (EditSession::commit()) {
            sheets_->ask({.node = node, .item = item, .areRows = areRows});
        } else {
            reportUnread();
        }
    };
    connect(inspector_, &Inspector::varyAsked, this, vary);
    connect(
        canvas_,
        &GraphView::varyRequested,
        this,
        [vary](const std::string& node, const std::string& param) { vary(node, param, false); });
    connect(sheets_, &SheetController::shown, this, [this] { centre_->setCurrentWidget(sheet_); });
    connect(sheets_, &SheetController::valuesUsed, this, [this] { centre_->setCurrentIndex(0); });
    connect(gallery_, &Gallery::sheetAsked, sheets_, &SheetController::open);
    connect(sheet_, &SheetView::graphAsked, earlier_, &GalleryController::openGraph);
    connect(earlier_, &GalleryController::forgotten, sheets_, &SheetController::writeMissing);
    connect(sheet_, &SheetView::compareAsked, gallery_, &Gallery::compareAsked);
    connect(
        sheet_, &SheetView::viewAsked, this, [this](const QStringList& files, const QString& path) {
            if (viewer_->isLive()) {
                viewer_->setFollowing(false);
            }
            viewer_->showFiles(files, path);
            showViewer();
        });
    sheets_->writeMissing();
}

/// Begins with the parameter whose value is being edited, where there is one.
void MainWindowController::varyFocused() {
    if (!sheets_) {
        return;
    }
    const auto [node, param] = inspector_->focused();
    if (!EditSession::commit()) {
        reportUnread();
        return;
    }
    sheets_->ask({.node = node, .item = param});
}

/// All that was taken back can be queued again, though the list keeps the newest alone.
void MainWindowController::stopAfterThis() {
    const std::vector<QueuedRun> back = workspace_.run.stopAfterThis();
    if (back.empty()) {
        notices_->show(NoticeKind::Info, tr("No run waits."));
        return;
    }
    notices_->show(NoticeKind::Info,
                   tr("%n waiting runs were cancelled.", nullptr, static_cast<int>(back.size())),
                   tr("Queue them again"),
                   [this, back] { workspace_.queue.addAgain(back); });
}

void MainWindowController::buildFilmstrip() {
    strip_ = new Filmstrip(*gallery_, viewer_);
    viewer_->addBelow(strip_);
    gallery_->showAlsoIn(strip_);
    connect(viewer_, &Viewer::shown, strip_, [this] { strip_->follow(viewer_->path()); });
    connect(strip_, &Filmstrip::wanted, this, [this](const QString& path) {
        if (viewer_->isLive()) {
            viewer_->setFollowing(false);
        }
        viewer_->showFiles(gallery_->files(), path);
    });
    QAction& shown = parts_.actions.at("view.filmstrip");
    shown.setChecked(parts_.settings.preferences().showsFilmstrip);
    strip_->setVisible(shown.isChecked());
    connect(&shown, &QAction::toggled, this, [this](bool isShown) {
        strip_->setVisible(isShown);
        parts_.settings.change(
            [&](Preferences& preferences) { preferences.showsFilmstrip = isShown; });
    });
}

}  // namespace lowtide::ui
