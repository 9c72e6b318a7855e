#include "ui/panels/memory_panel.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/node_title.hpp"
#include "ui/panels/fixes.hpp"
#include "ui/panels/held_memory.hpp"
#include "ui/panels/measured_chart.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/panels/memory_settings.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/panels/plan_bars.hpp"
#include "ui/panels/timeline_chart.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>

#include <algorithm>

namespace lowtide::ui {

/// The parts of the memory panel, what matters most first, and what it remembers of runs: what the
/// plan needs, always in sight; its bars, and next to them, or below where space is short, what
/// can be changed. Both scroll.
struct MemoryPanel::Widgets {
    explicit Widgets(MemoryPanel* panel);

    void buildHeading(QWidget* part);
    void buildPlan(QWidget* part);
    void buildState(QWidget* part);
    [[nodiscard]] QWidget* buildDetails();
    /// The panel is so wide now.
    void spread(int width);

    QScrollArea* settingsArea;  ///< holds `state` where there is space, else hidden
    QWidget* plan;
    QWidget* state;
    QBoxLayout* settings = nullptr;
    QLabel* summary = nullptr;
    QPushButton* measure = nullptr;
    Notice* refusal = nullptr;
    Notice* slower = nullptr;
    Notice* task = nullptr;  ///< why something that was asked for was not done
    PlanBars* bars = nullptr;
    DeviceChooser* device = nullptr;
    QLabel* cardNote = nullptr;  ///< while a card is planned for
    BudgetSlider* budget = nullptr;
    MemoryGauge* gauge = nullptr;
    MemoryGauge* hostGauge = nullptr;
    ComponentChips* chips = nullptr;
    QPushButton* releaseAll = nullptr;
    Fold* details = nullptr;
    QLabel* measuredNote = nullptr;
    TimelineChart* timeline = nullptr;
    MeasuredChart* measured = nullptr;
    QLabel* timesNote = nullptr;

    TimelineRecorder recorder;
    QElapsedTimer clock;
    RunTimes times;
    quint64 followed = 0;  ///< the run that is shown, or was last

    [[nodiscard]] double now() const { return static_cast<double>(clock.elapsed()) / 1000; }
};

namespace {

/// From this width on what can be changed stands next to the plan.
constexpr int kWidePanel = Theme::space(150);
constexpr int kSideMargins = Theme::space(9);  ///< on both sides, and a scroll bar

/// Its content stands below each other.
QScrollArea* makeScroll(const char* name, const QString& spoken, QWidget* parent) {
    auto* scroll = named(name, new QScrollArea(parent));
    scroll->setAccessibleName(spoken);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    auto* content = new QWidget;
    columnIn(content, 3, {3, 2, 3, 3}, {});
    scroll->setWidget(content);
    return scroll;
}

constexpr const char* kBudgetGesture = "memory_budget";

QString timesNote(const PlanView& plan) {
    return plan.isRehearsal ? MemoryPanel::tr(
                                  "Times are those of such a GPU; a rehearsal takes as long as a "
                                  "run on the CPU.")
           : plan.isEstimated
               ? MemoryPanel::tr(
                     "Times are estimates: they rank plans but do not tell how long you will wait.")
               : MemoryPanel::tr("Times measured on %1.").arg(plan.measuredOn);
}

/// What programs can have of the card; 0: it is not known.
Bytes capacityOf(const Json& cards, const std::string& name) {
    for (const Json& card : cards.is_array() ? cards : Json::array()) {
        if (textIn(card, "name") == name) {
            return bytesIn(card, "capacity");
        }
    }
    return 0;
}

QString measuredText(const QueuedRun& run, const std::optional<MeasuredView>& measured) {
    if (run.executed == 0) {
        return MemoryPanel::tr("Nothing to do: every result was kept from earlier runs.");
    }
    return measured ? MemoryPanel::tr("Peak %1, predicted %2. Collections: %3, %4 given back.")
                          .arg(bytesText(measured->peak), bytesText(measured->plannedPeak))
                          .arg(measured->collections)
                          .arg(bytesText(measured->saved))
                    : MemoryPanel::tr("Nothing was measured.");
}

}  // namespace

MemoryPanel::Widgets::Widgets(MemoryPanel* panel)
    : settingsArea(makeScroll("memoryBeside", tr("Device and budget"), panel)),
      plan(new QWidget),
      state(new QWidget) {
    auto* heading = new QWidget(panel);
    buildHeading(heading);
    buildPlan(plan);
    buildState(state);
    QScrollArea* scroll = makeScroll("memoryScroll", tr("Plan"), panel);
    scroll->widget()->layout()->addWidget(plan);
    rowIn(panel, 0, {{columnIn(nullptr, 0, {heading, {scroll, 1}}), 1}, {settingsArea, 1}});
    spread(panel->width());
}

void MemoryPanel::Widgets::buildHeading(QWidget* part) {
    summary = makeText({}, "summary", part, "strong");
    measure = makeButton(MemoryPanel::tr("Measure this device"), "measure", part);
    measure->setToolTip(
        MemoryPanel::tr("Takes a few seconds. Plans then predict the times of this machine."));
    measure->hide();
    rowIn(part, 2, {3, 2, 3, 0}, {{summary, 1}, {measure, 0, Qt::AlignTop}});
}

void MemoryPanel::Widgets::buildPlan(QWidget* part) {
    refusal = new Notice("refusal", part);
    slower = new Notice("slower", part);
    task = new Notice("chore", part);
    bars = new PlanBars(part);
    columnIn(part, 2, {refusal, slower, task, bars, Cell::spring()});
}

void MemoryPanel::Widgets::buildState(QWidget* part) {
    device = new DeviceChooser(part);
    cardNote = makeText({}, "cardNote", part, "small");
    budget = new BudgetSlider(part);
    gauge = new MemoryGauge("gauge", part);
    hostGauge = new MemoryGauge("hostGauge", part);
    QLabel* heldTitle = makeText(MemoryPanel::tr("On devices"), "heldTitle", part, "strong");
    releaseAll = makeButton(MemoryPanel::tr("Release all"), "releaseAll", part);
    chips = new ComponentChips(part);
    details = named("details", new Fold(MemoryPanel::tr("Last run"), buildDetails(), false, part));
    details->hide();
    settings = new QBoxLayout(QBoxLayout::LeftToRight);
    settings->setSpacing(Theme::space(2));
    addAll(*settings, {{device, 1, Qt::AlignTop}, {budget, 1, Qt::AlignTop}});
    columnIn(part,
             2,
             {settings,
              cardNote,
              gauge,
              hostGauge,
              rowOf(2, {{heldTitle, 1}, releaseAll}),
              chips,
              details,
              Cell::spring()});
}

QWidget* MemoryPanel::Widgets::buildDetails() {
    auto* part = new QWidget;
    measuredNote = makeText({}, "measuredNote", part, "small");
    timeline = new TimelineChart(part);
    measured = new MeasuredChart(part);
    timesNote = makeText({}, "timesNote", part, "small");
    columnIn(part, 2, {measuredNote, timeline, measured, timesNote});
    return part;
}

void MemoryPanel::Widgets::spread(int width) {
    // Half of it must fit device and budget side by side, and a scroll bar.
    const int settingsWidth = device->minimumSizeHint().width() + settings->spacing() +
                              budget->minimumSizeHint().width() + kSideMargins;
    const bool isWide = width >= std::max(kWidePanel, 2 * settingsWidth);
    QWidget* target = isWide ? settingsArea->widget() : plan->parentWidget();
    if (state->parentWidget() != target) {
        qobject_cast<QBoxLayout*>(target->layout())->addWidget(state, 1);
    }
    settingsArea->setVisible(isWide);
    settings->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

MemoryPanel::MemoryPanel(const MemoryPanelParts& parts, QWidget* parent)
    : QWidget(parent), parts_(parts), widgets_(std::make_unique<Widgets>(this)) {
    setObjectName("memoryPanel");
    for (Chart* chart :
         std::initializer_list<Chart*>{widgets_->bars, widgets_->timeline, widgets_->measured}) {
        chart->setNodeNames(nodeNamesIn(parts_.model));
    }
    connectControls();
    connectRuns();
    connect(&parts_.model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.reset) {
            widgets_->budget->forgetTyped();
        }
        if (delta.settings || delta.reset) {
            showSettings();
        }
        widgets_->bars->setFresh(parts_.planning.planned().isFresh);
        if (!parts_.planning.planned().plan.is_object()) {
            showPlan();  // why there is none may be another reason now
        }
    });
    connect(&parts_.planning, &Planning::answered, this, &MemoryPanel::showPlan);
    connect(&parts_.feed, &MemoryFeed::changed, this, &MemoryPanel::showHeld);
    showSettings();
    showPlan();
    showHeld();
}

MemoryPanel::~MemoryPanel() {
    parts_.feed.setWatched(false);
}

void MemoryPanel::offerConversion() {
    canConvert_ = true;
    showPlan();
}

void MemoryPanel::connectControls() {
    connect(widgets_->device,
            &DeviceChooser::chosen,
            this,
            [this](const std::optional<std::string>& device) {
                parts_.model.apply(tr("Device"),
                                   [&](graph::Document& document) { document.device = device; });
            });
    connect(widgets_->device, &DeviceChooser::cardChosen, this, [this](const std::string& card) {
        parts_.planning.planFor(card);
        showHeld();
    });
    connect(widgets_->budget,
            &BudgetSlider::edited,
            this,
            [this](const std::optional<std::string>& stated, bool isFinal) {
                parts_.model.apply(
                    tr("Memory budget"),
                    [&](graph::Document& document) { document.memoryBudget = stated; },
                    kBudgetGesture);
                if (isFinal) {
                    parts_.model.endMerging();
                }
            });
    connect(widgets_->refusal, &Notice::fixChosen, this, [this](const Fix& fix) {
        if (fix.convert) {
            Q_EMIT convertAsked(*fix.convert);
            return;
        }
        const Issue* issue = memoryRefusalIn(parts_.planning.planned().issues);
        if (issue && !applyFix(parts_.model, *issue, fix)) {
            showPlan();  // the graph is another one; what it offers now
        }
    });
    connect(widgets_->bars, &PlanBars::nodeActivated, this, &MemoryPanel::nodeActivated);
    const auto ask = [this](MaintenanceTask::Kind kind) {
        return [this, kind](const std::string& what) {
            parts_.maintenance.begin({.kind = kind, .what = what});
        };
    };
    connect(widgets_->chips,
            &ComponentChips::offloadRequested,
            this,
            ask(MaintenanceTask::Kind::Offload));
    connect(widgets_->chips,
            &ComponentChips::unloadRequested,
            this,
            ask(MaintenanceTask::Kind::Unload));
    connect(widgets_->releaseAll, &QPushButton::clicked, this, [ask] {
        ask(MaintenanceTask::Kind::Offload)("all");
    });
    connect(widgets_->measure, &QPushButton::clicked, this, [this, ask] {
        ask(MaintenanceTask::Kind::Measure)(device());
    });
    connect(&parts_.maintenance, &MaintenanceJob::began, this, &MemoryPanel::beginTask);
    connect(&parts_.maintenance, &MaintenanceJob::ended, this, &MemoryPanel::endTask);
}

void MemoryPanel::connectRuns() {
    widgets_->clock.start();
    connect(&parts_.queue, &RunQueue::started, this, &MemoryPanel::beginRun);
    connect(&parts_.queue, &RunQueue::ended, this, &MemoryPanel::endRun);
    connect(&parts_.queue, &RunQueue::event, this, [this](quint64, const Json& event) {
        takeEvent(event);
    });
}

void MemoryPanel::showEvent(QShowEvent*) {
    parts_.feed.setWatched(true);
}

void MemoryPanel::hideEvent(QHideEvent*) {
    parts_.feed.setWatched(false);
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    widgets_->spread(width());
}

std::string MemoryPanel::deviceSpec() const {
    if (!parts_.planning.card().empty()) {
        return "cuda";  // as a machine has it that has the card
    }
    return parts_.planning.device();
}

std::string MemoryPanel::device() const {
    try {
        return memory::parseDeviceSpec(deviceSpec()).id();
    } catch (const Error&) {
        return "cpu";  // the check names what is wrong with it
    }
}

Bytes MemoryPanel::budget() const {
    const std::string text = textIn(parts_.planning.options(), "memoryBudget");
    return budgetOf(text.empty() ? parts_.model.document().memoryBudget.value_or("") : text,
                    device())
        .value_or(0);
}

void MemoryPanel::showSettings() {
    const graph::Document& document = parts_.model.document();
    widgets_->device->setDevice(document.device);
    widgets_->budget->setBudget(document.memoryBudget, device());
    showHeld();
}

void MemoryPanel::showPlan() {
    const Planned& planned = parts_.planning.planned();
    const std::optional<PlanView> plan =
        planViewOf(planned.plan.is_null() ? planned.beyond : planned.plan);
    const bool fits = !planned.plan.is_null();
    widgets_->bars->setFresh(planned.isFresh);
    widgets_->bars->setVisible(plan.has_value());
    widgets_->refusal->showMessage(Notice::Tone::Error, {});
    if (plan) {
        widgets_->timesNote->setText(timesNote(*plan));
        const Issue* issue = memoryRefusalIn(planned.issues);
        const Bytes refused = budget() > 0 ? budget()
                              : issue      ? bytesIn(factsOf(*issue), "capacity")
                                           : 0;
        widgets_->bars->setPlan(*plan, fits ? plan->budget : refused);
    }
    if (plan && fits) {
        const MemoryLine line = memoryLineOf(planned);
        widgets_->summary->setText(line.text);
        widgets_->summary->setToolTip(line.detail);
    } else {
        showRefusal(planned);
    }
    showMeasuring(plan && fits && plan->isEstimated);
    showHeld();
}

void MemoryPanel::showRefusal(const Planned& planned) {
    if (const Issue* issue = memoryRefusalIn(planned.issues)) {
        widgets_->summary->setText(memoryLineOf(planned, nodeNamesIn(parts_.model)).text);
        widgets_->refusal->showMessage(
            Notice::Tone::Error,
            memoryRefusalText(*issue, nodeNamesIn(parts_.model)),
            fixesFor(*issue, parts_.model.document(), parts_.model.catalog(), canConvert_));
        return;
    }
    const bool hasErrors = std::ranges::any_of(
        planned.issues, [](const Issue& issue) { return issue.severity == Severity::Error; });
    widgets_->summary->setText(
        hasErrors                               ? tr("No plan: the graph has errors, see Issues")
        : parts_.model.document().nodes.empty() ? tr("Add nodes to see the plan of their memory")
        : parts_.queue.running()                ? tr("The plan follows when the run has ended")
                                                : tr("The plan is being made"));
}

void MemoryPanel::showHeld() {
    const MemoryNow& now = parts_.feed.now();
    const std::string id = device();
    HeldNow held = heldNow(now.ledger, now.devices, id);
    held.budget = budget();
    const std::optional<PlanView> plan = planViewOf(parts_.planning.planned().plan);
    const std::string& card = parts_.planning.card();
    widgets_->cardNote->setVisible(!card.empty());
    widgets_->cardNote->setText(
        tr("Planned for %1, in its types. Times, workspaces and what its driver keeps are "
           "estimates. "
           "Nothing runs on it: to run, choose a device of this machine or a rehearsal.")
            .arg(QString::fromStdString(card)));
    if (!card.empty()) {
        held.capacity = capacityOf(now.cards, card);
    } else if (const Bytes rehearsed = rehearsedBytes(deviceSpec()); rehearsed > 0) {
        held.capacity = rehearsed;  // nobody else knows that card
    } else if (id != "cpu" && plan && plan->device == id) {
        held.capacity = plan->budget;
    }
    if (held.capacity > 0) {
        held.budget = std::min(held.budget, held.capacity);  // a larger one is refused
    }
    widgets_->gauge->setVisible(card.empty());  // nothing is held on what is absent
    widgets_->gauge->setHeld(held);
    widgets_->hostGauge->setVisible(id != "cpu");
    widgets_->hostGauge->setHeld(heldNow(now.ledger, now.devices, "cpu"));
    widgets_->device->setDevices(now.devices);
    widgets_->device->setCards(now.cards);
    widgets_->device->setCard(card);
    const bool isIdle = parts_.queue.running() == nullptr;
    const bool isFree = isIdle && !parts_.maintenance.isBusy();
    widgets_->chips->setPossible(isFree, parts_.maintenance.canUnload());
    widgets_->chips->setComponents(heldComponents(now.ledger));
    widgets_->releaseAll->setEnabled(isFree);
    widgets_->measure->setEnabled(isFree);
    widgets_->budget->setRange(held.capacity > 0 ? held.capacity : 8 * kGiB,
                               plan ? plan->minimum : 0);
}

void MemoryPanel::beginRun(quint64 id) {
    widgets_->followed = id;
    parts_.feed.setRunning(true);
    widgets_->recorder.begin(widgets_->now());
    widgets_->slower->showMessage(Notice::Tone::Warning, {});
    widgets_->details->setTitle(tr("This run"));
    showDetails(true, false, {});
    showTimeline();
    showHeld();
}

void MemoryPanel::takeEvent(const Json& event) {
    widgets_->recorder.take(event, widgets_->now());
    const std::string kind = textIn(event, "event");
    if (kind == "nodeStarted") {
        widgets_->bars->setRunning(textIn(event, "node"));
    }
    if (kind != "nodeProgress" && kind != "nodePreview") {
        showTimeline();
    }
}

void MemoryPanel::showTimeline() {
    widgets_->timeline->setTimeline(widgets_->recorder.timeline(widgets_->now()), budget());
}

void MemoryPanel::endRun(quint64 id) {
    const QueuedRun* run = parts_.queue.find(id);
    if (!run || id != widgets_->followed) {
        return;  // it never ran
    }
    parts_.feed.setRunning(false);
    widgets_->bars->setRunning({});
    widgets_->details->setTitle(tr("Last run"));
    if (run->report.is_null()) {
        showDetails(false, false, tr("It was refused; see Issues."));
        showHeld();
        return;
    }
    const RunTimeline live = widgets_->recorder.timeline(widgets_->now());
    const std::optional<MeasuredView> measured = measuredViewOf(run->report);
    widgets_->timeline->setTimeline(timelineOf(run->report, live), budget());
    if (measured) {
        widgets_->measured->setMeasured(*measured);
    }
    showDetails(measured.has_value(), measured.has_value(), measuredText(*run, measured));
    widgets_->details->setSummary(
        measured ? tr("peak %1, predicted %2")
                       .arg(bytesText(measured->peak), bytesText(measured->plannedPeak))
        : run->executed == 0 ? tr("nothing to do")
                             : QString());
    const bool isWhole = run->state == RunState::Finished && run->executed > 0;
    const auto slower =
        isWhole ? widgets_->times.take(
                      timeKeyOf(run->graph, run->options, run->report, parts_.model.catalog()),
                      run->milliseconds)
                : std::nullopt;
    widgets_->slower->showMessage(
        Notice::Tone::Warning,
        slower ? tr("This run took %1, the last one like it %2. Another program "
                    "may be using the device or its memory.")
                     .arg(secondsText(slower->milliseconds / 1000),
                          secondsText(slower->lastMilliseconds / 1000))
               : QString());
    showHeld();
}

void MemoryPanel::showDetails(bool hasTimeline, bool isMeasured, const QString& note) {
    widgets_->timeline->setVisible(hasTimeline);
    widgets_->measured->setVisible(isMeasured);
    showText(*widgets_->measuredNote, note);
    widgets_->details->setSummary({});
    widgets_->details->show();
}

/// A card that is rehearsed has no speeds of its own, and one that is planned for is not there.
void MemoryPanel::showMeasuring(bool isEstimated) {
    const bool isReal = device().find("fake") != 0 && parts_.planning.card().empty();
    widgets_->measure->setVisible(isEstimated && isReal && parts_.maintenance.canMeasure());
}

void MemoryPanel::beginTask(const MaintenanceTask& task) {
    widgets_->task->showMessage(Notice::Tone::Warning, {});
    if (task.kind == MaintenanceTask::Kind::Measure) {
        widgets_->measure->setText(tr("Measuring..."));
    } else if (task.what == "all") {
        widgets_->releaseAll->setText(tr("Releasing..."));
    }
    showHeld();
}

void MemoryPanel::endTask(const MaintenanceTask& task, const QString& problem) {
    widgets_->measure->setText(tr("Measure this device"));
    widgets_->releaseAll->setText(tr("Release all"));
    if (!problem.isEmpty()) {
        widgets_->task->showMessage(Notice::Tone::Warning,
                                    task.kind == MaintenanceTask::Kind::Measure
                                        ? tr("Not measured: %1.").arg(problem)
                                        : tr("Nothing was released: %1.").arg(problem));
    }
    showHeld();
}

}  // namespace lowtide::ui
