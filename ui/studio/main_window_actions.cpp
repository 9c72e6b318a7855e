#include "ui/bridge/device_memory.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/editors/prompt_editor.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/find_node.hpp"
#include "ui/studio/main_window_controller.hpp"
#include "ui/studio/mask_controller.hpp"
#include "ui/studio/run_attention.hpp"
#include "ui/studio/run_notices.hpp"
#include "ui/studio/settings_dialog.hpp"
#include "ui/studio/several_dialog.hpp"
#include "ui/theme/figures.hpp"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

void MainWindowController::on(const char* action, std::function<void()> act) {
    connect(&parts_.actions.at(action), &QAction::triggered, this, std::move(act));
}

void MainWindowController::connectFile() {
    on("file.new", [this] { files_.newGraph(); });
    on("file.open", [this] { files_.open(); });
    on("file.save", [this] { files_.save(); });
    on("file.save_as", [this] { files_.saveAs(); });
    on("file.save_preset", [this] { savePreset(); });
    on("file.backups", [this] { files_.openBackup(); });
    on("file.remove_masks", [this] { masks_->removeUnused(); });
    connect(&files_, &FileCommands::used, this, [this](const QString& path) {
        parts_.settings.addRecentFile(path);
        fillRecent();
    });
}

void MainWindowController::fillRecent() {
    parts_.recentMenu.clear();
    const QStringList& paths = parts_.settings.preferences().recentFiles;
    for (const QString& path : paths) {
        QAction* action = parts_.recentMenu.addAction(menuText(QFileInfo(path).fileName()));
        action->setToolTip(path);
        action->setStatusTip(path);
        connect(action, &QAction::triggered, this, [this, path] { files_.openPath(path); });
    }
    parts_.recentMenu.setEnabled(!paths.isEmpty());
    files_.setStartFolder(paths.isEmpty() ? QString() : QFileInfo(paths.front()).absolutePath());
}

void MainWindowController::connectEdit() {
    QUndoStack& steps = workspace_.model.undoStack();
    QAction& undo = parts_.actions.at("edit.undo");
    QAction& redo = parts_.actions.at("edit.redo");
    // From an image or the gallery the graph comes into sight: nobody loses a step unseen.
    const auto showGraph = [this] {
        const QWidget* now = centre_->currentWidget();
        if (centre_->currentIndex() != 0 && now->isAncestorOf(QApplication::focusWidget())) {
            centre_->setCurrentIndex(0);
        }
    };
    on("edit.undo", [this, &steps, showGraph] {
        showGraph();
        workspace_.model.endMerging();
        steps.undo();
    });
    on("edit.redo", [this, &steps, showGraph] {
        showGraph();
        workspace_.model.endMerging();
        steps.redo();
    });
    connect(&steps, &QUndoStack::canUndoChanged, this, [&undo](bool can) { undo.setEnabled(can); });
    connect(&steps, &QUndoStack::canRedoChanged, this, [&redo](bool can) { redo.setEnabled(can); });
    const auto nameUndo = [&undo](const QString& step) {
        undo.setText(step.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(menuText(step)));
        undo.setIconText(tr("Undo"));
    };
    const auto nameRedo = [&redo](const QString& step) {
        redo.setText(step.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(menuText(step)));
        redo.setIconText(tr("Redo"));
    };
    connect(&steps, &QUndoStack::undoTextChanged, this, nameUndo);
    connect(&steps, &QUndoStack::redoTextChanged, this, nameRedo);
    nameUndo(steps.undoText());
    nameRedo(steps.redoText());
    undo.setEnabled(steps.canUndo());
    redo.setEnabled(steps.canRedo());
    on("edit.settings", [this] {
        SettingsDialog(parts_.settings,
                       deviceNames(workspace_.memory.now().devices),
                       parts_.appFolders.images,
                       &parts_.window)
            .exec();
    });
    on("edit.find", [this] {
        FindNode dialog(workspace_.model, &parts_.window);
        connect(&dialog,
                &FindNode::chosen,
                this,
                [this](const std::string& node, const std::string& item) {
                    reveal(node, item);
                    if (item.empty()) {
                        canvas_->setFocus(Qt::OtherFocusReason);  // Return opens its values
                    }
                });
        dialog.exec();
    });
}

bool MainWindowController::mayEndRuns() {
    workspace_.run.finishAsked();  // kept for the next start, too
    const std::deque<QueuedRun>& runs = workspace_.queue.runs();
    const int waiting = static_cast<int>(std::count_if(
        runs.begin(), runs.end(), [](const auto& run) { return run.state == RunState::Waiting; }));
    const bool isAtWork = workspace_.run.isBusy();
    const bool isConverting = workspace_.conversion.isBusy();
    QStringList sentences;
    if (waiting > 0) {
        sentences << (isAtWork ? tr("A run is in progress; %n more are waiting.", nullptr, waiting)
                               : tr("%n runs are waiting in the queue.", nullptr, waiting));
    } else if (isAtWork) {
        sentences << tr("A run is in progress.");
    }
    if (isConverting) {
        sentences << tr("A model is being converted.");
    }
    if (sentences.isEmpty()) {
        return true;
    }
    const QString text = sentences.join(QLatin1Char(' '));
    QMessageBox box(QMessageBox::Question, tr("Runs"), text, QMessageBox::Cancel, &parts_.window);
    box.setObjectName(QStringLiteral("runsAtWork"));
    const bool isConversionAlone = isConverting && sentences.size() == 1;
    box.setInformativeText(
        isConversionAlone    ? tr("Closing the window ends it; nothing of the new file is kept.")
        : workspace_.library ? tr("Closing the window ends them. The next start asks whether "
                                  "they shall run again.")
                             : tr("Closing the window ends them; waiting runs are lost."));
    QPushButton* end = box.addButton(tr("Close and end them"), QMessageBox::DestructiveRole);
    end->setObjectName(QStringLiteral("endRuns"));
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    return box.clickedButton() == end;
}

void MainWindowController::runToSelected() {
    const std::set<std::string> nodes = canvas_->selectedNodes();
    if (nodes.empty()) {
        notices_->show(NoticeKind::Info, tr("Select the node to run to."));
        return;
    }
    run(RunHow::Last, nodes);
}

void MainWindowController::run(RunHow how, const std::set<std::string>& until) {
    if (EditSession::commit()) {
        notices_->withdraw(std::exchange(unread_, 0));
        workspace_.run.run(how, until);
    } else {
        reportUnread();
    }
}

void MainWindowController::runSeveral() {
    if (!EditSession::commit()) {
        reportUnread();
        return;
    }
    SeveralDialog dialog(workspace_.model.document(),
                         workspace_.model.catalog(),
                         workspace_.prompts.wildcards(),
                         &parts_.window);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    switch (dialog.prompts()) {
        case SeveralDialog::Prompts::Same:
            workspace_.run.runSeveral(dialog.count(), dialog.seeds());
            break;
        case SeveralDialog::Prompts::Lines:
            workspace_.run.runPrompts(
                dialog.field(), dialog.lines().mid(0, SeveralDialog::kMost), dialog.seeds());
            break;
        case SeveralDialog::Prompts::Combinations:
            workspace_.run.runCombinations(dialog.seeds());
            break;
    }
}

/// Connects the actions of the prompt that the user types into.
void MainWindowController::connectPrompts() {
    const auto onPrompt = [this](const char* action, void (PromptEditor::*act)()) {
        on(action, [this, act] {
            if (PromptEditor* editor = PromptEditor::focused()) {
                (editor->*act)();
            } else {
                notices_->show(NoticeKind::Info, tr("Click into a prompt first."));
            }
        });
    };
    onPrompt("prompt.complete", &PromptEditor::complete);
    onPrompt("prompt.styles", &PromptEditor::openStyles);
    onPrompt("prompt.earlier", &PromptEditor::openPast);
    const auto showKeys = [this] {
        const auto keysOf = [this](const char* action) {
            return parts_.actions.at(action).shortcut().toString(QKeySequence::NativeText);
        };
        workspace_.prompts.setKeys(
            {.styles = keysOf("prompt.styles"), .past = keysOf("prompt.earlier")});
    };
    connect(&parts_.actions, &Actions::keysChanged, this, showKeys);
    showKeys();
    on("prompt.wildcards", [this] {
        const QString& folder = workspace_.prompts.wildcardFolder();
        QDir().mkpath(folder);
        workspace_.prompts.readWildcards();  // the folder may be new; from here on it is watched
        if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder))) {
            notices_->show(NoticeKind::Info, tr("No program opens the folder “%1”.").arg(folder));
        }
    });
    connect(
        &workspace_.prompts.styles(), &StyleStore::failed, this, [this](const QString& problem) {
            notices_->show(NoticeKind::Warning, tr("Styles: %1").arg(problem));
        });
    connect(&workspace_.run, &RunControl::refused, this, [this](const Issues& issues) {
        const Issue& issue = issues.front();
        const QString text = joinedSentences(QString::fromStdString(issue.message.str()),
                                             QString::fromStdString(issue.hint.str()),
                                             "; ");
        const QString node = nodeNamesIn(workspace_.model)(issue.node);
        notices_->show(NoticeKind::Warning, tr("Nothing runs: in %1, %2").arg(node, text));
        reveal(issue.node, issue.item);
    });
}

void MainWindowController::reportUnread() {
    EditSession::refusedField()->setFocus();
    unread_ = notices_->show(
        NoticeKind::Warning,
        tr("Nothing runs yet: what is typed in the marked field cannot be read. Fix it, "
           "or press Esc there to keep the value before it."));
}

void MainWindowController::connectRun() {
    RunControl& run = workspace_.run;
    on("run.start", [this] { this->run(RunHow::Last); });
    on("run.front", [this] { this->run(RunHow::First); });
    on("run.anew", [this] { this->run(RunHow::Again); });
    on("run.here", [this] { runToSelected(); });
    on("run.several", [this] { runSeveral(); });
    QAction& forEver = parts_.actions.at("run.for_ever");
    connect(&forEver, &QAction::toggled, this, [this, &run, &forEver](bool isOn) {
        if (!isOn || EditSession::commit()) {
            run.setRepeating(isOn);
        } else {
            forEver.setChecked(false);
            reportUnread();
        }
    });
    connect(&run, &RunControl::repeatingChanged, &forEver, &QAction::setChecked);
    on("run.cancel", [&run] { run.cancel(CancelMode::Now); });
    on("run.stop_after", [this] { stopAfterThis(); });
    on("run.sheet", [this] { varyFocused(); });
    on("run.cancel_after", [&run] { run.cancel(CancelMode::AfterThisImage); });
    connectRelease();
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
    runNotices_ = new RunNotices(workspace_.model, run, workspace_.queue, *notices_, this);
    connect(runNotices_, &RunNotices::imageAsked, this, [this](const QString& file) {
        viewImage(file);
    });
    auto* attention =
        new RunAttention(workspace_.queue, parts_.settings, parts_.desktop, parts_.window, this);
    connect(attention, &RunAttention::runAsked, this, [this](quint64 id) {
        const QueuedRun* ended = workspace_.queue.find(id);
        if (ended && ended->state == RunState::Failed) {
            panels_.show("issues");
        } else {
            showImageOf(id);
        }
    });
    connect(runNotices_, &RunNotices::issuesAsked, this, [this] { panels_.show("issues"); });
}

/// What the menu asks for is reported above the canvas; the memory panel has its own words.
void MainWindowController::connectRelease() {
    MaintenanceJob& maintenance = workspace_.maintenance;
    on("run.release", [this, &maintenance] {
        isReleaseReported_ = true;
        notices_->show(NoticeKind::Info, tr("Releasing what is on devices..."));
        maintenance.begin({.kind = MaintenanceTask::Kind::Offload, .what = "all"});
    });
    connect(&maintenance, &MaintenanceJob::began, this, [this] {
        parts_.actions.at("run.release").setEnabled(false);
    });
    connect(&maintenance,
            &MaintenanceJob::ended,
            this,
            [this, &maintenance](const MaintenanceTask& task, const QString& problem) {
                if (problem.isEmpty() && task.kind == MaintenanceTask::Kind::Offload &&
                    task.what == "all") {
                    workspace_.statuses.forgetCached();
                    runNotices_->takeBack();
                }
                if (maintenance.isBusy()) {
                    return;
                }
                parts_.actions.at("run.release").setEnabled(true);
                if (!std::exchange(isReleaseReported_, false)) {
                    return;
                }
                if (problem.isEmpty()) {
                    notices_->show(NoticeKind::Success, tr("Nothing is kept on devices any more."));
                } else {
                    notices_->show(NoticeKind::Warning,
                                   tr("Nothing was released: %1.").arg(problem));
                }
            });
}

void MainWindowController::connectView() {
    for (const char* name :
         {"presets", "models", "inspector", "generate", "memory", "queue", "issues", "log"}) {
        on((std::string("view.") + name).c_str(), [this, name] { panels_.show(name); });
    }
    on("view.graph", [this] {
        centre_->setCurrentIndex(0);
        canvas_->setFocus(Qt::ShortcutFocusReason);
    });
    on("view.viewer", [this] { showViewer(); });
    on("view.paint_mask", [this] {
        centre_->setCurrentWidget(viewer_);
        masks_->toggle(Retouching::Work::Mask);
    });
    on("view.crop", [this] {
        centre_->setCurrentWidget(viewer_);
        masks_->toggle(Retouching::Work::Frame);
    });
    on("run.left_open", [this] {
        if (earlier_) {
            earlier_->chooseLeftOpen();
        }
    });
    on("view.gallery", [this] {
        if (gallery_) {
            centre_->setCurrentWidget(gallery_);
            gallery_->focusSearch();
        }
    });
    on("view.sheet", [this] {
        if (sheets_) {
            sheets_->open(sheet_->sheet());
        }
    });
    on("help.first", [this] { showFirstStart(); });
    on("view.next_panel", [this] { panels_.moveFocus(1); });
    on("view.previous_panel", [this] { panels_.moveFocus(-1); });
    on("view.reset", [this] { panels_.reset(); });
    on("help.node", [this] {
        panels_.show("inspector");
        inspector_->showHelp();
    });
    connect(&parts_.toolBar, &StudioToolBar::memoryAsked, this, [this] { panels_.show("memory"); });
}

}  // namespace lowtide::ui
