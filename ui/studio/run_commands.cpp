#include "ui/studio/run_commands.hpp"

#include "ui/document/node_title.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/run_attention.hpp"
#include "ui/studio/several_dialog.hpp"

#include <QMessageBox>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

RunCommands::RunCommands(MainWindowWidgets& widgets, ViewerController& images)
    : widgets_(widgets), workspace_(widgets.workspace), notices_(widgets, images) {
    connectActions();
    connectForEver();
    connectPanels();
    connectReports(images);
    connectRelease();
}

void RunCommands::connectActions() {
    const Actions& actions = widgets_.actions;
    RunControl& control = workspace_.run;
    RunQueue& queue = workspace_.queue;
    actions.on("run.start", this, [this] { run(RunHow::Last); });
    actions.on("run.front", this, [this] { run(RunHow::First); });
    actions.on("run.anew", this, [this] { run(RunHow::Again); });
    actions.on("run.here", this, &RunCommands::runToSelected);
    actions.on("run.several", this, &RunCommands::runSeveral);
    actions.on("run.stop_after", this, &RunCommands::stopAfterThis);
    const auto cancel = [&control] { control.cancel(CancelMode::Now); };
    actions.on("run.cancel", this, cancel);
    connect(new EscapeTwice(this), &EscapeTwice::pressed, this, cancel);
    connect(&widgets_.form, &GenerateForm::cancelAsked, this, cancel);
    actions.on(
        "run.cancel_after", this, [&control] { control.cancel(CancelMode::AfterThisImage); });
    QAction& pause = actions.at("run.pause");
    connect(&pause, &QAction::toggled, &queue, &RunQueue::setPaused);
    connect(&queue, &RunQueue::pausedChanged, &pause, &QAction::setChecked);
}

void RunCommands::connectForEver() {
    RunControl& control = workspace_.run;
    QAction& forEver = widgets_.actions.at("run.for_ever");
    connect(&forEver, &QAction::toggled, this, [this, &control, &forEver](bool isOn) {
        if (!isOn || commit()) {
            control.setRepeating(isOn);
        } else {
            forEver.setChecked(false);
        }
    });
    connect(&control, &RunControl::repeatingChanged, &forEver, &QAction::setChecked);
}

void RunCommands::connectPanels() {
    GenerateForm& form = widgets_.form;
    connect(&form, &GenerateForm::runAsked, this, [this] { run(RunHow::Last); });
    connect(&workspace_.planning, &Planning::answered, &form, &GenerateForm::setPlanned);
    connect(&workspace_.run, &RunControl::busyChanged, &form, &GenerateForm::setRunning);
    form.setRunning(workspace_.run.isBusy());
    connect(&widgets_.queue, &QueuePanel::stopAfterThisAsked, this, &RunCommands::stopAfterThis);
    GraphView& canvas = widgets_.canvas;
    connect(&canvas, &GraphView::runToRequested, this, [this](const std::string& node) {
        run(RunHow::Last, {node});
    });
    QAction& here = widgets_.actions.at("run.here");
    const auto offerHere = [&here, &canvas] { here.setEnabled(!canvas.selectedNodes().empty()); };
    connect(&canvas, &GraphView::selectionChanged, &here, offerHere);
    offerHere();
}

void RunCommands::connectReports(ViewerController& images) {
    const RunQueue& queue = workspace_.queue;
    connect(&workspace_.run, &RunControl::refused, this, &RunCommands::reportRefused);
    auto* speaker = new RunSpeaker(widgets_.window, queue, this);
    connect(&widgets_.issues, &IssuesPanel::countsChanged, speaker, &RunSpeaker::announceIssues);
    auto* attention =
        new RunAttention(queue, workspace_.settings(), widgets_.desktop, widgets_.window, this);
    connect(attention, &RunAttention::runAsked, this, [this, &queue, &images](quint64 id) {
        const QueuedRun* ended = queue.find(id);
        if (ended && ended->state == RunState::Failed) {
            widgets_.panels.show("issues");
        } else {
            images.showImageOf(id);
        }
    });
}

/// What the menu asks for is reported above the canvas; the memory panel has its own words.
void RunCommands::connectRelease() {
    MaintenanceJob& maintenance = workspace_.maintenance;
    QAction& release = widgets_.actions.at("run.release");
    connect(&release, &QAction::triggered, this, [this, &maintenance] {
        isReleaseReported_ = true;
        widgets_.notices.show(NoticeKind::Info, tr("Releasing what is on devices..."));
        maintenance.begin({.kind = MaintenanceTask::Kind::Offload, .what = "all"});
    });
    connect(&maintenance, &MaintenanceJob::began, this, [&release] { release.setEnabled(false); });
    connect(&maintenance, &MaintenanceJob::ended, this, &RunCommands::endRelease);
}

void RunCommands::endRelease(const MaintenanceTask& task, const QString& problem) {
    if (problem.isEmpty() && task.kind == MaintenanceTask::Kind::Offload && task.what == "all") {
        workspace_.statuses.forgetCached();
        notices_.takeBack();
    }
    if (workspace_.maintenance.isBusy()) {
        return;
    }
    widgets_.actions.at("run.release").setEnabled(true);
    if (!std::exchange(isReleaseReported_, false)) {
        return;
    }
    if (problem.isEmpty()) {
        widgets_.notices.show(NoticeKind::Success, tr("Nothing is kept on devices any more."));
    } else {
        widgets_.notices.show(NoticeKind::Warning, tr("Nothing was released: %1.").arg(problem));
    }
}

bool RunCommands::commit() {
    if (EditSession::commit()) {
        widgets_.notices.withdraw(std::exchange(unread_, 0));
        return true;
    }
    EditSession::refusedField()->setFocus();
    unread_ = widgets_.notices.show(
        NoticeKind::Warning,
        tr("Nothing runs yet: what is typed in the marked field cannot be read. Fix it, "
           "or press Esc there to keep the value before it."));
    return false;
}

void RunCommands::run(RunHow how, const std::set<std::string>& until) {
    if (commit()) {
        workspace_.run.run(how, until);
    }
}

void RunCommands::runToSelected() {
    const std::set<std::string> nodes = widgets_.canvas.selectedNodes();
    if (nodes.empty()) {
        widgets_.notices.show(NoticeKind::Info, tr("Select the node to run to."));
        return;
    }
    run(RunHow::Last, nodes);
}

void RunCommands::runSeveral() {
    if (!commit()) {
        return;
    }
    SeveralDialog dialog(workspace_.model.document(),
                         workspace_.model.catalog(),
                         workspace_.prompts.wildcards(),
                         &widgets_.window);
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

/// All that was taken back can be queued again, though the list keeps the newest alone.
void RunCommands::stopAfterThis() {
    const std::vector<QueuedRun> back = workspace_.run.stopAfterThis();
    if (back.empty()) {
        widgets_.notices.show(NoticeKind::Info, tr("No run waits."));
        return;
    }
    widgets_.notices.show(
        NoticeKind::Info,
        tr("%n waiting runs were cancelled.", nullptr, static_cast<int>(back.size())),
        tr("Queue them again"),
        [this, back] { workspace_.queue.addAgain(back); });
}

void RunCommands::reportRefused(const Issues& issues) {
    const Issue& issue = issues.front();
    const QString text = joinedSentences(QString::fromStdString(issue.message.str()),
                                         QString::fromStdString(issue.hint.str()),
                                         "; ");
    const QString node = nodeNamesIn(workspace_.model)(issue.node);
    widgets_.notices.show(NoticeKind::Warning, tr("Nothing runs: in %1, %2").arg(node, text));
    widgets_.reveal(issue.node, issue.item);
}

bool RunCommands::mayEnd() {
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
    QMessageBox box(QMessageBox::Question, tr("Runs"), text, QMessageBox::Cancel, &widgets_.window);
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

}  // namespace lowtide::ui
