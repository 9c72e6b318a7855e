#include "ui/bridge/device_names.hpp"
#include "ui/studio/desk.hpp"
#include "ui/studio/escape_twice.hpp"
#include "ui/studio/find_node.hpp"
#include "ui/studio/settings_dialog.hpp"

#include <QFileInfo>

namespace lowtide::ui {

void Desk::on(const char* action, std::function<void()> act) {
    connect(&parts_.actions.at(action), &QAction::triggered, this, std::move(act));
}

void Desk::connectFile() {
    on("file.new", [this] { files_.newGraph(); });
    on("file.open", [this] { files_.open(); });
    on("file.save", [this] { files_.save(); });
    on("file.save_as", [this] { files_.saveAs(); });
    on("file.save_preset", [this] { savePreset(); });
    on("file.backups", [this] { files_.openBackup(); });
    files_.setRecent(parts_.settings.preferences().recentFiles);
    connect(&files_, &FileCommands::recentChanged, this, [this](const QStringList& paths) {
        parts_.settings.change([&](Preferences& preferences) { preferences.recentFiles = paths; });
        fillRecent();
    });
}

void Desk::fillRecent() {
    parts_.recentMenu.clear();
    for (const QString& path : files_.recent()) {
        QAction* action = parts_.recentMenu.addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setStatusTip(path);
        connect(action, &QAction::triggered, this, [this, path] { files_.openPath(path); });
    }
    parts_.recentMenu.setEnabled(!files_.recent().isEmpty());
}

void Desk::connectEdit() {
    QUndoStack& steps = workspace_.model.undoStack();
    QAction& undo = parts_.actions.at("edit.undo");
    QAction& redo = parts_.actions.at("edit.redo");
    on("edit.undo", [this, &steps] {
        workspace_.model.endMerging();
        steps.undo();
    });
    on("edit.redo", [this, &steps] {
        workspace_.model.endMerging();
        steps.redo();
    });
    connect(&steps, &QUndoStack::canUndoChanged, &undo, &QAction::setEnabled);
    connect(&steps, &QUndoStack::canRedoChanged, &redo, &QAction::setEnabled);
    connect(&steps, &QUndoStack::undoTextChanged, &undo, [&undo](const QString& step) {
        undo.setText(step.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(step));
        undo.setIconText(tr("Undo"));
    });
    connect(&steps, &QUndoStack::redoTextChanged, &redo, [&redo](const QString& step) {
        redo.setText(step.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(step));
        redo.setIconText(tr("Redo"));
    });
    undo.setEnabled(steps.canUndo());
    redo.setEnabled(steps.canRedo());
    on("edit.settings", [this] {
        SettingsDialog(parts_.settings,
                       deviceNames(workspace_.memory.now().devices),
                       parts_.places.pictures,
                       &parts_.window)
            .exec();
    });
    on("edit.find", [this] {
        FindNode dialog(workspace_.model, &parts_.window);
        connect(&dialog, &FindNode::chosen, this, &Desk::reveal);
        dialog.exec();
    });
}

void Desk::runToSelected() {
    const std::set<std::string> nodes = canvas_->selectedNodes();
    if (nodes.empty()) {
        notices_->show(NoticeKind::Info, tr("Select the node to which the graph shall run."));
        return;
    }
    workspace_.run.run(RunHow::Last, nodes);
}

void Desk::connectRun() {
    RunControl& run = workspace_.run;
    on("run.start", [&run] { run.run(RunHow::Last); });
    on("run.front", [&run] { run.run(RunHow::First); });
    on("run.anew", [&run] { run.run(RunHow::Anew); });
    on("run.here", [this] { runToSelected(); });
    on("run.cancel", [&run] { run.cancel(CancelMode::Now); });
    on("run.cancel_after", [&run] { run.cancel(CancelMode::AfterThisImage); });
    on("run.release", [this] {
        workspace_.engine.runner().release("all");
        workspace_.memory.askNow();
    });
    connect(&parts_.actions.at("run.pause"),
            &QAction::toggled,
            &workspace_.queue,
            &RunQueue::setPaused);
    connect(&workspace_.queue,
            &RunQueue::pausedChanged,
            &parts_.actions.at("run.pause"),
            &QAction::setChecked);
    auto* escape = new EscapeTwice(this);
    connect(escape, &EscapeTwice::pressed, this, [&run] { run.cancel(CancelMode::Now); });
    auto* told = new RunNotices(run, workspace_.queue, *notices_, this);
    connect(told, &RunNotices::pictureAsked, this, &Desk::viewPicture);
    connect(told, &RunNotices::issuesAsked, this, [this] { panels_.show("issues"); });
}

void Desk::connectView() {
    for (const char* name :
         {"presets", "models", "inspector", "generate", "memory", "queue", "issues"}) {
        on((std::string("view.") + name).c_str(), [this, name] { panels_.show(name); });
    }
    on("view.graph", [this] {
        centre_->setCurrentIndex(0);
        canvas_->setFocus(Qt::ShortcutFocusReason);
    });
    on("view.viewer", [this] { centre_->setCurrentIndex(1); });
    on("help.first", [this] { showFirstStart(); });
    on("view.reset", [this] { panels_.reset(); });
    on("help.node", [this] {
        panels_.show("inspector");
        inspector_->showHelp();
    });
    connect(&parts_.toolBar, &StudioToolBar::memoryAsked, this, [this] { panels_.show("memory"); });
}

}  // namespace lowtide::ui
