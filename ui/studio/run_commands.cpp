#include "ui/studio/run_commands.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/document/node_title.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kUsual = 10;
constexpr int kLinesHeight = 140;
constexpr int kLinesWidth = 420;
constexpr qint64 kLargestList = qint64{4} << 20;

QString figure(qulonglong number) {
    return QLocale().toString(number);
}

}  // namespace

SeveralDialog::SeveralDialog(const graph::Document& document,
                             const graph::Catalog& catalog,
                             std::shared_ptr<const WildcardFiles> wildcards,
                             QWidget* parent)
    : QDialog(parent),
      document_(document),
      catalog_(catalog),
      wildcards_(std::move(wildcards)),
      prompts_(named("prompts", new QComboBox(this))),
      fields_(named("places", new QComboBox(this))),
      lines_(named("lines", new QPlainTextEdit(this))),
      open_(makeButton(tr("Open a text file..."), "openList", this)),
      count_(named("count", new QSpinBox(this))),
      seeds_(named("seeds", new QComboBox(this))),
      message_(makeText({}, "told", this)) {
    setObjectName(QStringLiteral("several"));
    setWindowTitle(tr("Run several times"));
    addFields();
    build();
    connect(prompts_, &QComboBox::currentIndexChanged, this, &SeveralDialog::showChoice);
    connect(lines_, &QPlainTextEdit::textChanged, this, &SeveralDialog::showCount);
    connect(open_, &QPushButton::clicked, this, &SeveralDialog::openFile);
    countCombinations();
    showChoice();
}

/// Called "Prompt", or "Portrait: Prompt" where several nodes have one.
void SeveralDialog::addFields() {
    QStringList labels;
    const auto add = [&](const std::string& id, const auto&, const ParamDesc& param) {
        if (param.kind == ParamKind::Text && param.multiline && !param.advanced) {
            targets_.push_back({.node = id, .param = param.id});
            labels << QString::fromStdString(param.label);
        }
    };
    forActiveParams(document_, catalog_, add);
    const bool isOne = std::all_of(targets_.begin(), targets_.end(), [&](const PromptField& each) {
        return each.node == targets_.front().node;
    });
    for (qsizetype i = 0; i < labels.size(); ++i) {
        const std::string& node = targets_[static_cast<size_t>(i)].node;
        fields_->addItem(isOne ? labels[i]
                               : tr("%1: %2").arg(nodeTitle(document_, catalog_, node), labels[i]));
    }
}

void SeveralDialog::build() {
    prompts_->addItem(tr("As they are"), static_cast<int>(Prompts::Same));
    if (!targets_.empty()) {
        prompts_->addItem(tr("One a line"), static_cast<int>(Prompts::Lines));
        prompts_->addItem(tr("Every combination of alternatives"),
                          static_cast<int>(Prompts::Combinations));
    }
    lines_->setPlaceholderText(tr("One prompt a line"));
    lines_->setAccessibleName(lines_->placeholderText());
    lines_->setTabChangesFocus(true);
    lines_->setMinimumSize(kLinesWidth, kLinesHeight);
    count_->setRange(1, kMost);
    count_->setValue(kUsual);
    count_->selectAll();
    seeds_->addItem(tr("A new one each time"), static_cast<int>(SeveralSeeds::Random));
    seeds_->addItem(tr("One more each time"), static_cast<int>(SeveralSeeds::Counting));
    seeds_->addItem(tr("As the nodes say"), static_cast<int>(SeveralSeeds::AsNodesSet));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    run_ = buttons->addButton(tr("Run"), QDialogButtonBox::AcceptRole);
    run_->setObjectName(QStringLiteral("run"));
    run_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form_ = new QFormLayout(this);
    form_->setHorizontalSpacing(Theme::space(3));
    form_->setVerticalSpacing(Theme::space(2));
    form_->addRow(tr("Times"), count_);
    form_->addRow(tr("Prompts"), prompts_);
    form_->addRow(tr("Into"), fields_);
    form_->addRow(lines_);
    form_->addRow(open_);
    form_->addRow(tr("Seed"), seeds_);
    form_->addRow(message_);
    form_->addRow(buttons);
    QWidget* before = nullptr;  // Tab goes down the form
    for (QWidget* field :
         std::initializer_list<QWidget*>{count_, prompts_, fields_, lines_, open_, seeds_, run_}) {
        if (before) {
            setTabOrder(before, field);
        }
        before = field;
    }
    setTabOrder(run_, buttons->button(QDialogButtonBox::Cancel));
}

void SeveralDialog::showChoice() {
    const Prompts chosen = prompts();
    const auto setShown = [&](QWidget* field, bool isShown) {
        field->setVisible(isShown);
        if (QWidget* label = form_->labelForField(field)) {
            label->setVisible(isShown);
        }
    };
    setShown(count_, chosen == Prompts::Same);
    setShown(fields_, chosen == Prompts::Lines);
    setShown(lines_, chosen == Prompts::Lines);
    setShown(open_, chosen == Prompts::Lines);
    if (chosen == Prompts::Lines) {
        lines_->setFocus();
    } else if (chosen == Prompts::Same) {
        count_->setFocus();
    }
    showCount();
    adjustSize();
}

void SeveralDialog::showCount() {
    const Prompts chosen = prompts();
    message_->setVisible(chosen != Prompts::Same);
    if (chosen == Prompts::Lines) {
        const qsizetype count = lines().size();
        message_->setText(count > kMost
                              ? tr("%1 prompts: the first %2 run.")
                                    .arg(figure(static_cast<qulonglong>(count)), figure(kMost))
                              : tr("%n runs", nullptr, static_cast<int>(count)));
        run_->setEnabled(count > 0);
    } else if (chosen == Prompts::Combinations) {
        message_->setText(combinations_.isEmpty() ? tr("Counting...") : combinations_);
        run_->setEnabled(canCombine_);
    } else {
        run_->setEnabled(true);
    }
}

void SeveralDialog::countCombinations() {
    struct Counted {
        uint64_t count = 0;
        Issues issues;
    };

    later(
        this,
        [document = document_, &catalog = catalog_, wildcards = wildcards_] {
            Counted counted;
            counted.count =
                PromptCombinations(document, catalog, wildcards->lists).count(counted.issues);
            return counted;
        },
        [this](const Counted& counted) {
            canCombine_ = counted.issues.empty() && counted.count > 1;
            if (!counted.issues.empty()) {
                combinations_ = QString::fromStdString(counted.issues.front().message.str());
            } else if (counted.count <= 1) {
                combinations_ =
                    tr("No prompt has alternatives yet: {red|blue} gives two runs, "
                       "__name__ one for each line of a wildcard.");
            } else if (counted.count > kMost) {
                combinations_ = counted.count == PromptChoices::kEndless
                                    ? tr("More combinations than can be counted: the first %1 run.")
                                          .arg(figure(kMost))
                                    : tr("%1 combinations: the first %2 run.")
                                          .arg(figure(counted.count), figure(kMost));
            } else {
                combinations_ =
                    tr("%n combinations, one run each", nullptr, static_cast<int>(counted.count));
            }
            showCount();
        });
}

void SeveralDialog::openFile() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open a list of prompts"), {}, tr("Texts (*.txt *.csv *.md);;All files (*)"));
    if (path.isEmpty()) {
        return;
    }
    later(
        this,
        [path] {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) && file.size() <= kLargestList
                       ? QString::fromUtf8(file.readAll())
                       : QString();
        },
        [this](const QString& text) {
            if (text.isEmpty()) {
                message_->setText(
                    tr("That file cannot be read as a list: it is empty, larger than "
                       "4 MiB, or locked."));
            } else {
                lines_->setPlainText(text);
            }
        });
}

int SeveralDialog::count() const {
    return count_->value();
}

SeveralSeeds SeveralDialog::seeds() const {
    return static_cast<SeveralSeeds>(seeds_->currentData().toInt());
}

SeveralDialog::Prompts SeveralDialog::prompts() const {
    return static_cast<Prompts>(prompts_->currentData().toInt());
}

PromptField SeveralDialog::field() const {
    return targets_.at(static_cast<size_t>(fields_->currentIndex()));
}

QStringList SeveralDialog::lines() const {
    QStringList lines;
    for (const QString& line : lines_->toPlainText().split(QLatin1Char('\n'))) {
        if (const QString trimmed = line.trimmed(); !trimmed.isEmpty()) {
            lines << trimmed;
        }
    }
    return lines;
}

RunCommands::RunCommands(MainWindowWidgets& widgets, ViewerController& images)
    : widgets_(widgets), workspace_(widgets.workspace), notices_(widgets, images) {
    connectActions();
    connectForEver();
    connectPanels();
    connectQueue();
    connectReports(images);
    connectRelease();
}

void RunCommands::connectActions() {
    const Actions& actions = widgets_.actions;
    RunControl& control = workspace_.run;
    RunQueue& queue = workspace_.queue;
    actions.on("run.start", this, &RunCommands::start);
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
        if (!isOn || (commit() && mayRehearse())) {
            control.setRepeating(isOn);
        } else {
            forEver.setChecked(false);
        }
    });
    connect(&control, &RunControl::repeatingChanged, &forEver, &QAction::setChecked);
}

void RunCommands::connectPanels() {
    GenerateForm& form = widgets_.form;
    connect(&form, &GenerateForm::runAsked, this, &RunCommands::start);
    connect(&workspace_.planning, &Planning::answered, &form, &GenerateForm::setPlanned);
    connect(&workspace_.planning, &Planning::checked, &form, [this, &form] {
        form.setFacts(workspace_.planning.checkedNodes().facts);
    });
    connect(&workspace_.run, &RunControl::busyChanged, &form, &GenerateForm::setRunning);
    form.setRunning(workspace_.run.isBusy());
    GraphView& canvas = widgets_.canvas;
    connect(&canvas, &GraphView::runToRequested, this, [this](const std::string& node) {
        run(RunHow::Last, {node});
    });
    QAction& here = widgets_.actions.at("run.here");
    const auto offerHere = [&here, &canvas] { here.setEnabled(!canvas.selectedNodes().empty()); };
    connect(&canvas, &GraphView::selectionChanged, &here, offerHere);
    offerHere();
}

/// What is asked for but not made yet waits, too.
void RunCommands::connectQueue() {
    QueuePanel& queue = widgets_.queue;
    connect(&queue, &QueuePanel::stopAfterThisAsked, this, &RunCommands::stopAfterThis);
    connect(&queue, &QueuePanel::clearWaitingAsked, this, [this, &queue] {
        workspace_.run.finishAsked();
        queue.clearWaiting();
    });
    connect(&queue, &QueuePanel::removed, this, [this, &queue](const QString& sentence) {
        removal_ = widgets_.notices.offerUndo(sentence, [&queue] { queue.undoRemove(); });
    });
    connect(&queue, &QueuePanel::returned, this, [this] { widgets_.notices.withdraw(removal_); });
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
    unread_ = widgets_.notices.showOfDocument(
        NoticeKind::Warning,
        tr("Nothing runs yet: what is typed in the marked field cannot be read. Fix it, "
           "or press Esc there to keep the value before it."));
    return false;
}

/// A run that is refused anyway is not asked about: it states why at once.
bool RunCommands::mayRehearse() {
    const Planning& planning = workspace_.planning;
    const Planned& planned = planning.planned();
    const std::string device = planning.device();
    const bool isRefused =
        !textIn(planning.options(), "as").empty() || (planned.isFresh && !planned.plan.is_object());
    if (workspace_.isRehearsalAgreed || isRefused || !isRehearsal(device)) {
        return true;
    }
    const Bytes size = rehearsedBytes(device);
    QStringList sentences = {
        tr("The processor of this machine computes it, which takes as long as a run on the CPU. "
           "Memory is planned and kept as on that GPU.")};
    if (planned.plan.is_object()) {
        sentences << tr("The time in the plan, %1, is that of such a GPU.")
                         .arg(durationText(secondsOf(planned.plan)));
    }
    QMessageBox box(
        QMessageBox::Question,
        tr("Rehearsal"),
        size > 0 ? tr("This run is rehearsed on a simulated GPU of %1.").arg(wholeBytesText(size))
                 : tr("This run is rehearsed on a simulated GPU."),
        QMessageBox::Cancel,
        &widgets_.window);
    box.setObjectName(QStringLiteral("rehearsal"));
    box.setInformativeText(sentences.join(QLatin1Char(' ')));
    QPushButton* rehearse = box.addButton(tr("Run"), QMessageBox::AcceptRole);
    rehearse->setObjectName(QStringLiteral("rehearse"));
    box.setDefaultButton(rehearse);
    box.exec();
    workspace_.isRehearsalAgreed = box.clickedButton() == rehearse;
    return workspace_.isRehearsalAgreed;
}

/// As often as the tool bar states.
void RunCommands::start() {
    const int times = widgets_.toolBar.times();
    if (times == 1) {
        run(RunHow::Last);
    } else if (commit() && mayRehearse()) {
        workspace_.run.runSeveral(times, SeveralSeeds::Random);
    }
}

void RunCommands::run(RunHow how, const std::set<std::string>& until) {
    if (commit() && mayRehearse()) {
        workspace_.run.run(how, until);
    }
}

void RunCommands::runToSelected() {
    const std::set<std::string> nodes = widgets_.canvas.selectedNodes();
    if (nodes.empty()) {
        widgets_.notices.showOfDocument(NoticeKind::Info, tr("Select the node to run to."));
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
    if (dialog.exec() != QDialog::Accepted || !mayRehearse()) {
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
        widgets_.notices.show(NoticeKind::Info, tr("No runs are waiting."));
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
    widgets_.notices.showOfDocument(NoticeKind::Warning,
                                    tr("Nothing runs: in %1, %2").arg(node, text));
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
