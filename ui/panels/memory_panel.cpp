#include "ui/panels/memory_panel.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/device_names.hpp"
#include "ui/document/node_title.hpp"
#include "ui/panels/budget_text.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/panels/memory_widgets.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr const char* kBudgetGesture = "memory_budget";

QString timesNote(const PlanView& plan) {
    return plan.isEstimated
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
    const auto ask = [this](Chore::Kind kind) {
        return [this, kind](const std::string& what) {
            parts_.upkeep.begin({.kind = kind, .what = what});
        };
    };
    connect(widgets_->chips, &ComponentChips::offloadRequested, this, ask(Chore::Kind::Offload));
    connect(widgets_->chips, &ComponentChips::unloadRequested, this, ask(Chore::Kind::Unload));
    connect(widgets_->releaseAll, &QPushButton::clicked, this, [ask] {
        ask(Chore::Kind::Offload)("all");
    });
    connect(widgets_->measure, &QPushButton::clicked, this, [this, ask] {
        ask(Chore::Kind::Measure)(device());
    });
    connect(&parts_.upkeep, &Upkeep::began, this, &MemoryPanel::beginChore);
    connect(&parts_.upkeep, &Upkeep::ended, this, &MemoryPanel::endChore);
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
    const std::string text = textIn(parts_.planning.options(), "device");
    return text.empty() ? parts_.model.document().device.value_or("cpu") : text;
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
    widgets_->refusal->tell(Notice::Tone::Error, {});
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
        widgets_->refusal->tell(
            Notice::Tone::Error,
            memoryRefusalText(*issue, nodeNamesIn(parts_.model)),
            fixesFor(*issue, parts_.model.document(), parts_.model.catalog(), canConvert_));
        return;
    }
    const bool hasErrors =
        std::any_of(planned.issues.begin(), planned.issues.end(), [](const Issue& issue) {
            return issue.severity == Severity::Error;
        });
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
    const bool isFree = isIdle && !parts_.upkeep.isBusy();
    widgets_->chips->setPossible(isFree, parts_.upkeep.canUnload());
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
    widgets_->slower->tell(Notice::Tone::Warning, {});
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
    widgets_->slower->tell(Notice::Tone::Warning,
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
    widgets_->measuredNote->setVisible(!note.isEmpty());
    widgets_->measuredNote->setText(note);
    widgets_->details->setSummary({});
    widgets_->details->show();
}

/// A card that is rehearsed has no speeds of its own, and one that is planned for is not there.
void MemoryPanel::showMeasuring(bool isEstimated) {
    const bool isReal = device().find("fake") != 0 && parts_.planning.card().empty();
    widgets_->measure->setVisible(isEstimated && isReal && parts_.upkeep.canMeasure());
}

void MemoryPanel::beginChore(const Chore& chore) {
    widgets_->chore->tell(Notice::Tone::Warning, {});
    if (chore.kind == Chore::Kind::Measure) {
        widgets_->measure->setText(tr("Measuring..."));
    } else if (chore.what == "all") {
        widgets_->releaseAll->setText(tr("Releasing..."));
    }
    showHeld();
}

void MemoryPanel::endChore(const Chore& chore, const QString& problem) {
    widgets_->measure->setText(tr("Measure this device"));
    widgets_->releaseAll->setText(tr("Release all"));
    if (!problem.isEmpty()) {
        widgets_->chore->tell(Notice::Tone::Warning,
                              chore.kind == Chore::Kind::Measure
                                  ? tr("Not measured: %1.").arg(problem)
                                  : tr("Nothing was released: %1.").arg(problem));
    }
    showHeld();
}

}  // namespace lowtide::ui
