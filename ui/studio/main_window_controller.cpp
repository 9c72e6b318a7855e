#include "ui/studio/main_window_controller.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/canvas/viewport.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/prompt_editor.hpp"
#include "ui/panels/queue_words.hpp"
#include "ui/studio/edge_previews.hpp"
#include "ui/studio/find_node.hpp"
#include "ui/studio/graph_import.hpp"
#include "ui/studio/settings_dialog.hpp"
#include "ui/theme/figures.hpp"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QStatusBar>
#include <QTimer>
#include <QUrl>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kClockMilliseconds = 1000;

/// A card that is rehearsed on is ours alone, as large as it is stated or was opened.
Bytes freeOn(const Json& devices, const std::string& id, Bytes rehearsed, const Json& figures) {
    if (id == "fake") {
        const Bytes size = rehearsed > 0 ? rehearsed : bytesIn(figures, "capacity");
        if (size > 0) {
            return std::max<Bytes>(0, size - bytesIn(figures, "total"));
        }
    }
    for (const Json& device : devices.is_array() ? devices : Json::array()) {
        if (device.value("id", std::string()) == id) {
            return device.value("free", Bytes{0});
        }
    }
    return 0;
}

}  // namespace

QString memoryLine(const MemoryNow& now, Bytes rehearsed) {
    QStringList parts;
    if (now.ledger.is_object()) {
        for (const auto& [device, figures] : now.ledger.items()) {
            const Bytes total = bytesIn(figures, "total");
            const Bytes free = freeOn(now.devices, device, rehearsed, figures);
            if (total > 0) {
                const QString name = deviceText(device);
                parts
                    << (free > 0
                            ? MainWindowController::tr("%1 holds %2, %3 are free")
                                  .arg(name, bytesText(total), bytesText(free))
                            : MainWindowController::tr("%1 holds %2").arg(name, bytesText(total)));
            }
        }
    }
    return parts.isEmpty() ? MainWindowController::tr("Nothing is held on a device")
                           : parts.join(" · ");
}

MainWindowController::MainWindowController(const MainWindowParts& parts)
    : workspace_(parts.workspace),
      widgets_(parts),
      fullView_(widgets_),
      files_(widgets_),
      viewing_(widgets_, files_),
      locate_(widgets_),
      models_(widgets_),
      presets_(widgets_, files_, locate_),
      runs_(widgets_, viewing_),
      dropped_(widgets_, files_, models_),
      masks_(widgets_),
      memoryStrip_(new MemoryStrip(parts.window.statusBar())) {
    new ImportReports(widgets_, locate_, this);
    if (workspace_.library) {
        earlier_ = new GalleryController(widgets_, files_);
        new SheetController(widgets_, runs_, *earlier_);
    }
    new InputImages(workspace_.model, workspace_.statuses, workspace_.file, this);
    new EdgePreviews(workspace_.model, workspace_.statuses, workspace_.file, this);
    connect(&widgets_.documents, &DocumentTabs::closeAsked, &files_, &FileCommands::close);
    connectEdit();
    connectPrompts();
    connectToolBar();
    connectLog();
    connectMemory();
    widgets_.actions.on("help.tour", this, [this] {
        delete tour_.data();
        tour_ = new Tour(widgets_);
    });
}

MainWindowController::~MainWindowController() {
    delete tour_.data();
    fullView_.end();
    delete widgets_.window.takeCentralWidget();
    qDeleteAll(widgets_.window.findChildren<QDockWidget*>());
    delete memoryStrip_;
}

void MainWindowController::offerLeftOpen() {
    if (earlier_) {
        earlier_->offerLeftOpen();
    }
}

void MainWindowController::connectEdit() {
    QUndoGroup& steps = workspace_.model.undoGroup();
    QAction& undo = widgets_.actions.at("edit.undo");
    QAction& redo = widgets_.actions.at("edit.redo");
    // From an image or the gallery the graph comes into sight: nobody loses a step unseen.
    const auto showGraph = [this] {
        const QWidget* now = widgets_.centre.currentWidget();
        if (widgets_.centre.currentIndex() != 0 && now->isAncestorOf(QApplication::focusWidget())) {
            widgets_.showGraph();
        }
    };
    widgets_.actions.on("edit.undo", this, [this, &steps, showGraph] {
        showGraph();
        workspace_.model.endMerging();
        steps.undo();
    });
    widgets_.actions.on("edit.redo", this, [this, &steps, showGraph] {
        showGraph();
        workspace_.model.endMerging();
        steps.redo();
    });
    connect(&steps, &QUndoGroup::canUndoChanged, this, [&undo](bool can) { undo.setEnabled(can); });
    connect(&steps, &QUndoGroup::canRedoChanged, this, [&redo](bool can) { redo.setEnabled(can); });
    const auto nameUndo = [&undo](const QString& step) {
        undo.setText(step.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(menuText(step)));
        undo.setIconText(tr("Undo"));
    };
    const auto nameRedo = [&redo](const QString& step) {
        redo.setText(step.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(menuText(step)));
        redo.setIconText(tr("Redo"));
    };
    connect(&steps, &QUndoGroup::undoTextChanged, this, nameUndo);
    connect(&steps, &QUndoGroup::redoTextChanged, this, nameRedo);
    nameUndo(steps.undoText());
    nameRedo(steps.redoText());
    undo.setEnabled(steps.canUndo());
    redo.setEnabled(steps.canRedo());
    widgets_.actions.on("edit.settings", this, [this] {
        SettingsDialog(workspace_.settings(),
                       deviceNames(workspace_.memory.now().devices),
                       widgets_.appFolders.images,
                       &widgets_.window)
            .exec();
    });
    widgets_.actions.on("edit.find", this, [this] {
        FindNode dialog(workspace_.model, &widgets_.window);
        connect(&dialog,
                &FindNode::chosen,
                this,
                [this](const std::string& node, const std::string& item) {
                    widgets_.reveal(node, item);
                    if (item.empty()) {
                        widgets_.canvas.setFocus(Qt::OtherFocusReason);  // Return opens its values
                    }
                });
        dialog.exec();
    });
}

/// Connects the actions of the prompt that the user types into.
void MainWindowController::connectPrompts() {
    const auto onPrompt = [this](const char* action, void (PromptEditor::*act)()) {
        widgets_.actions.on(action, this, [this, act] {
            if (PromptEditor* editor = PromptEditor::focused()) {
                (editor->*act)();
            } else {
                widgets_.notices.show(NoticeKind::Info, tr("Click into a prompt first."));
            }
        });
    };
    onPrompt("prompt.complete", &PromptEditor::complete);
    onPrompt("prompt.styles", &PromptEditor::openStyles);
    onPrompt("prompt.earlier", &PromptEditor::openPast);
    const auto showKeys = [this] {
        const auto keysOf = [this](const char* action) {
            return widgets_.actions.at(action).shortcut().toString(QKeySequence::NativeText);
        };
        workspace_.prompts.setKeys(
            {.styles = keysOf("prompt.styles"), .past = keysOf("prompt.earlier")});
    };
    connect(&widgets_.actions, &Actions::keysChanged, this, showKeys);
    showKeys();
    widgets_.actions.on("prompt.wildcards", this, [this] {
        const QString& folder = workspace_.prompts.wildcardFolder();
        QDir().mkpath(folder);
        workspace_.prompts.readWildcards();  // the folder may be new; from here on it is watched
        if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder))) {
            widgets_.notices.show(NoticeKind::Info,
                                  tr("No program opens the folder “%1”.").arg(folder));
        }
    });
    connect(
        &workspace_.prompts.styles(), &StyleStore::failed, this, [this](const QString& problem) {
            widgets_.notices.show(NoticeKind::Warning, tr("Styles: %1").arg(problem));
        });
}

/// The run at work may be one that began before this window.
void MainWindowController::connectToolBar() {
    StudioToolBar& bar = widgets_.toolBar;
    const auto showRun = [this, &bar] {
        const QueueProgress progress = workspace_.queue.progress();
        bar.setRun(workspace_.queue.running(), progress);
        widgets_.panels.setTitle("queue", queueTabText(progress));
    };
    connect(&workspace_.run, &RunControl::busyChanged, &bar, &StudioToolBar::setBusy);
    connect(&workspace_.queue, &RunQueue::runChanged, this, showRun);
    connect(&workspace_.queue, &RunQueue::listChanged, this, showRun);
    connect(&workspace_.queue, &RunQueue::pausedChanged, this, showRun);
    connect(&workspace_.queue, &RunQueue::ended, this, showRun);
    auto* clock = new QTimer(this);  // between two steps, which may take minutes
    clock->setInterval(kClockMilliseconds);
    connect(clock, &QTimer::timeout, this, [this, showRun, clock] {
        showRun();
        if (workspace_.queue.isIdle()) {
            clock->stop();
        }
    });
    connect(&workspace_.queue, &RunQueue::started, clock, qOverload<>(&QTimer::start));
    connect(
        &widgets_.canvas.navigation(), &ViewNavigation::zoomChanged, &bar, &StudioToolBar::setZoom);
    bar.setBusy(workspace_.run.isBusy());
    showRun();
}

void MainWindowController::connectLog() {
    LogPanel& log = widgets_.logPanel;
    new RunLog(workspace_.queue, this);
    connect(&log, &LogPanel::reportAsked, &widgets_.actions.at("help.report"), &QAction::trigger);
    connect(&log, &LogPanel::saved, this, [this](const QString& path, const QString& problem) {
        if (problem.isEmpty()) {
            widgets_.notices.show(NoticeKind::Success, tr("The log is saved as %1.").arg(path));
        } else {
            widgets_.notices.show(NoticeKind::Error, tr("The log is not saved: %1.").arg(problem));
        }
    });
}

void MainWindowController::connectMemory() {
    widgets_.window.statusBar()->addPermanentWidget(memoryStrip_);
    const auto showPlan = [this] {
        memoryStrip_->setPlanned(workspace_.planning.planned(), nodeNamesIn(workspace_.model));
    };
    const auto showHeld = [this] {
        memoryStrip_->setHeld(
            memoryLine(workspace_.memory.now(), rehearsedBytes(workspace_.planning.device())));
    };
    connect(&workspace_.planning, &Planning::answered, memoryStrip_, showPlan);
    connect(&workspace_.memory, &MemoryFeed::changed, memoryStrip_, showHeld);
    connect(&workspace_.run, &RunControl::busyChanged, memoryStrip_, &MemoryStrip::setBusy);
    connect(memoryStrip_, &QToolButton::clicked, this, [this] { widgets_.panels.show("memory"); });
    memoryStrip_->setBusy(workspace_.run.isBusy());
    showPlan();
    showHeld();
    workspace_.memory.askNow();
}

}  // namespace lowtide::ui
