#include "ui/bridge/planning.hpp"

#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/prompt_loras.hpp"
#include "ui/language/module_texts.hpp"

#include <QMetaObject>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

/// An edit is checked when the user has rested so long.
constexpr int kRestMilliseconds = 150;
/// A module at work on a run does not plan: it is asked again, less and less often.
constexpr int kFirstRetryMilliseconds = 250;
constexpr int kLastRetryMilliseconds = 2000;

bool isBusy(const Issue& issue) {
    return issue.code == "busy";
}

/// `stated` with the budget of the device that is too small, with which the run would fit; empty:
/// none helps, or it was refused for another reason.
std::string enoughBudget(const std::string& stated, const Issues& issues) {
    for (const Issue& issue : issues) {
        if (issue.code != "memory_infeasible") {
            continue;
        }
        const Json facts = factsOf(issue);
        const Bytes least = bytesIn(facts, "budget");
        memory::MemoryBudget budget = memory::isMemoryBudget(stated)
                                          ? memory::parseMemoryBudget(stated)
                                          : memory::MemoryBudget();
        budget.devices[textIn(facts, "device")] = least;
        return least > 0 ? memory::toText(budget) : std::string();
    }
    return {};
}

/// Of the worker thread.
Json planBeyond(Runner& runner, const std::string& graph, Json options, const Issues& issues) {
    const std::string budget = enoughBudget(textIn(options, "memoryBudget"), issues);
    if (budget.empty()) {
        return {};
    }
    options["memoryBudget"] = budget;
    std::string text;
    const Status status = runner.plan(graph, options.dump(), text);
    return status == Status::Ok ? memberIn(answerOf(text), "plan") : Json();
}

/// Templates as a run would draw them.
CheckedNodes drawPrompts(graph::Document& document,
                         const graph::Catalog& catalog,
                         const WildcardFiles& wildcards,
                         Issues& issues) {
    CheckedNodes nodes;
    for (PromptField& field : templateFields(document, catalog)) {
        nodes.drawn.insert(std::move(field));
    }
    issues = resolvePrompts(document, catalog, wildcards.lists);
    return nodes;
}

/// For the worker thread. `report` gets what check states about nodes, before the plan is there.
Planned askPlan(Runner& runner,
                graph::Document document,
                const graph::Catalog& catalog,
                const WildcardFiles& wildcards,
                const Json& options,
                const std::function<void(CheckedNodes)>& report) {
    Planned planned;
    Issues undrawn;
    CheckedNodes nodes = drawPrompts(document, catalog, wildcards, undrawn);
    addNew(undrawn, lorasWithoutDenoiser(document, catalog));
    std::string text;
    std::string graph;
    try {
        graph = graph::toText(document);
    } catch (const std::exception& error) {
        planned.issues.push_back({.code = "invalid_input", .message = Message(error.what())});
        return planned;
    }
    const Status checked = runner.check(graph, options.dump(), text);
    const Json reported = answerOf(text);
    planned.issues = reworded(std::move(undrawn));
    addNew(planned.issues, issuesFromJson(memberIn(reported, "issues")));
    nodes.facts = memberIn(reported, "nodes");
    report(std::move(nodes));
    if (checked != Status::Ok) {
        return planned;
    }
    const Status status = runner.plan(graph, options.dump(), text);
    const Json answer = answerOf(text);
    addNew(planned.issues, issuesFromJson(memberIn(answer, "issues")));
    planned.plan = status == Status::Ok ? memberIn(answer, "plan") : Json();
    planned.beyond =
        status == Status::Ok ? Json() : planBeyond(runner, graph, options, planned.issues);
    return planned;
}

}  // namespace

const Json* mainDeviceOf(const Json& plan) {
    const Json& devices = memberIn(plan, "devices");
    return devices.is_array() && !devices.empty() ? &devices.front() : nullptr;
}

double secondsOf(const Json& plan) {
    double seconds = 0;
    for (const Json& stage : memberIn(plan, "stages")) {
        seconds += numberIn(stage, "seconds");
    }
    return seconds;
}

std::optional<double> measuredSecondsOf(const Planned& planned) {
    const Json* device = planned.isFresh ? mainDeviceOf(planned.plan) : nullptr;
    const bool isMeasured = device && memberIn(*device, "estimated") != true &&
                            memberIn(*device, "rehearsal") != true &&
                            textIn(*device, "planned_for").empty();
    return isMeasured ? std::optional(secondsOf(planned.plan)) : std::nullopt;
}

Planning::Planning(Runner& runner, GraphModel& model, QObject* parent)
    : QObject(parent), runner_(runner), model_(model), retryMilliseconds_(kFirstRetryMilliseconds) {
    rest_.setSingleShot(true);
    connect(&rest_, &QTimer::timeout, this, &Planning::askNow);
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.changesMeaning()) {
            askLater();
        }
    });
}

void Planning::setOptions(const Json& options) {
    asked_ = options;
    takeOptions();
}

std::string Planning::device() const {
    const std::string stated = textIn(options_, "device");
    return stated.empty() ? model_.document().device.value_or("cpu") : stated;
}

void Planning::planFor(const std::string& card) {
    card_ = card;
    takeOptions();
}

void Planning::setWildcards(std::shared_ptr<const WildcardFiles> wildcards) {
    wildcards_ = std::move(wildcards);
    askLater();
}

void Planning::takeOptions() {
    Json options = asked_;
    if (!card_.empty()) {
        options = options.is_object() ? options : Json::object();
        options["as"] = card_;
        options.erase("device");
    }
    if (options_ != options) {
        options_ = std::move(options);
        askLater();
    }
}

void Planning::askLater() {
    planned_.isFresh = false;
    isOutdated_ = isAsking_;
    retryMilliseconds_ = kFirstRetryMilliseconds;
    rest_.start(kRestMilliseconds);
}

void Planning::askNow() {
    rest_.stop();
    planned_.isFresh = false;
    if (isAsking_) {
        isOutdated_ = true;
        return;  // one question at a time; the newest is asked when the answer is here
    }
    isAsking_ = true;
    isOutdated_ = false;
    background_.run([this,
                     catalog = model_.catalogForJobs(),
                     document = model_.document(),
                     wildcards = wildcards_,
                     options = options_] {
        const auto report = [this](CheckedNodes nodes) {
            QMetaObject::invokeMethod(this, [this, nodes = std::move(nodes)] {
                nodes_ = nodes;
                Q_EMIT checked();
            });
        };
        auto answer = std::make_shared<Planned>(
            askPlan(runner_, document, *catalog, *wildcards, options, report));
        return [this, answer] { take(std::move(*answer)); };
    });
}

void Planning::take(Planned answer) {
    isAsking_ = false;
    if (isOutdated_) {
        isOutdated_ = false;
        if (!rest_.isActive()) {
            askNow();
        }
        return;
    }
    const bool mustWait = std::any_of(answer.issues.begin(), answer.issues.end(), isBusy);
    if (mustWait) {
        answer.issues.erase(std::remove_if(answer.issues.begin(), answer.issues.end(), isBusy),
                            answer.issues.end());
        rest_.start(retryMilliseconds_);
        retryMilliseconds_ = std::min(2 * retryMilliseconds_, kLastRetryMilliseconds);
    } else {
        retryMilliseconds_ = kFirstRetryMilliseconds;
    }
    answer.isFresh = !mustWait;
    planned_ = std::move(answer);
    Q_EMIT answered(planned_);
}

}  // namespace lowtide::ui
