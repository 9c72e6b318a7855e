#include "ui/bridge/planning.hpp"

#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/language/module_texts.hpp"

#include <QMetaObject>
#include <QTimer>

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

struct Planning::State {
    State(Runner& module, GraphModel& graph) : runner(module), model(graph) {}

    Runner& runner;
    GraphModel& model;
    Json asked = Json::object();  ///< options without the card
    std::string card;
    std::shared_ptr<const WildcardFiles> wildcards = std::make_shared<WildcardFiles>();
    CheckedNodes nodes;
    Json options = Json::object();
    Planned planned;
    QTimer rest;
    int retryMilliseconds = kFirstRetryMilliseconds;
    bool isAsking = false;
    bool isOutdated = false;  ///< what is being answered is no longer the question
    Background background;
};

Planning::Planning(Runner& runner, GraphModel& model, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>(runner, model)) {
    state_->rest.setSingleShot(true);
    connect(&state_->rest, &QTimer::timeout, this, &Planning::askNow);
    connect(&model, &GraphModel::changed, this, [this](const Delta& delta) {
        if (delta.changesMeaning()) {
            askLater();
        }
    });
}

Planning::~Planning() = default;

void Planning::setOptions(const Json& options) {
    state_->asked = options;
    takeOptions();
}

void Planning::planFor(const std::string& card) {
    state_->card = card;
    takeOptions();
}

void Planning::setWildcards(std::shared_ptr<const WildcardFiles> wildcards) {
    state_->wildcards = std::move(wildcards);
    askLater();
}

const CheckedNodes& Planning::checkedNodes() const {
    return state_->nodes;
}

const std::string& Planning::card() const {
    return state_->card;
}

void Planning::takeOptions() {
    Json options = state_->asked;
    if (!state_->card.empty()) {
        options = options.is_object() ? options : Json::object();
        options["as"] = state_->card;
        options.erase("device");
    }
    if (state_->options != options) {
        state_->options = std::move(options);
        askLater();
    }
}

const Json& Planning::options() const {
    return state_->options;
}

const Planned& Planning::planned() const {
    return state_->planned;
}

void Planning::askLater() {
    state_->planned.isFresh = false;
    state_->isOutdated = state_->isAsking;
    state_->retryMilliseconds = kFirstRetryMilliseconds;
    state_->rest.start(kRestMilliseconds);
}

void Planning::askNow() {
    state_->rest.stop();
    state_->planned.isFresh = false;
    if (state_->isAsking) {
        state_->isOutdated = true;
        return;  // one question at a time; the newest is asked when the answer is here
    }
    state_->isAsking = true;
    state_->isOutdated = false;
    state_->background.run([this,
                            &runner = state_->runner,
                            catalog = state_->model.catalogForJobs(),
                            document = state_->model.document(),
                            wildcards = state_->wildcards,
                            options = state_->options] {
        const auto report = [this](CheckedNodes nodes) {
            QMetaObject::invokeMethod(this, [this, nodes = std::move(nodes)] {
                state_->nodes = nodes;
                Q_EMIT checked();
            });
        };
        auto answer = std::make_shared<Planned>(
            askPlan(runner, document, *catalog, *wildcards, options, report));
        return [this, answer] { take(std::move(*answer)); };
    });
}

void Planning::take(Planned answer) {
    state_->isAsking = false;
    if (state_->isOutdated) {
        state_->isOutdated = false;
        if (!state_->rest.isActive()) {
            askNow();
        }
        return;
    }
    const bool mustWait = std::any_of(answer.issues.begin(), answer.issues.end(), isBusy);
    if (mustWait) {
        answer.issues.erase(std::remove_if(answer.issues.begin(), answer.issues.end(), isBusy),
                            answer.issues.end());
        state_->rest.start(state_->retryMilliseconds);
        state_->retryMilliseconds = std::min(2 * state_->retryMilliseconds, kLastRetryMilliseconds);
    } else {
        state_->retryMilliseconds = kFirstRetryMilliseconds;
    }
    answer.isFresh = !mustWait;
    state_->planned = std::move(answer);
    Q_EMIT answered(state_->planned);
}

}  // namespace lowtide::ui
