#include "ui/bridge/run_control.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"

#include <QRandomGenerator>

#include <algorithm>
#include <utility>
#include <vector>

namespace lowtide::ui {

namespace {

/// Every node that the values of `node` come from.
std::set<std::string> sourcesOf(const graph::Document& document, const std::string& node) {
    std::set<std::string> found;
    std::vector<std::string> open = {node};
    while (!open.empty()) {
        const std::string to = open.back();
        open.pop_back();
        for (const graph::Link& link : document.links) {
            if (link.to.node == to && found.insert(link.from.node).second) {
                open.push_back(link.from.node);
            }
        }
    }
    return found;
}

}  // namespace

RunControl::RunControl(GraphModel& model,
                       RunQueue& queue,
                       const Planning& planning,
                       NodeStatuses& statuses,
                       QObject* parent)
    : QObject(parent),
      model_(model),
      queue_(queue),
      planning_(planning),
      statuses_(statuses),
      random_([] { return QRandomGenerator::system()->generate64(); }),
      shown_(model.shown()) {
    connect(&model_, &GraphModel::closed, this, &RunControl::forget);
    connect(&queue_, &RunQueue::started, this, &RunControl::begin);
    connect(&queue_, &RunQueue::ended, this, &RunControl::end);
    connect(&queue_, &RunQueue::takenBack, this, &RunControl::endWaiting);
    connect(&queue_, &RunQueue::pausedChanged, this, &RunControl::repeatWhereIdle);
    connect(&queue_, &RunQueue::event, this, [this](quint64 id, const Json& event) {
        if (NodeStatuses* ofRun = statusesOf(id)) {
            ofRun->take(event);
            if (textIn(event, "event") == "nodeCached") {
                showKept(id, textIn(event, "node"));
            }
        }
    });
    connect(&queue_,
            &RunQueue::nodeImage,
            this,
            [this](quint64 id, const std::string& node, const NodeImage& nodeImage) {
                if (const auto found = mine_.find(id); found != mine_.end()) {
                    takeImage(found->second, node, nodeImage);
                }
            });
}

void RunControl::setPreviews(bool areShown) {
    const bool wereShown = std::exchange(arePreviewsShown_, areShown);
    if (wereShown && !areShown) {
        statuses_.dropPreviews();
        for (const auto& [document, statuses] : hidden_) {
            statuses->dropPreviews();
        }
    }
}

/// nullptr: the run shows on no nodes.
NodeStatuses* RunControl::statusesOf(quint64 run) {
    const auto found = mine_.find(run);
    return found == mine_.end()      ? nullptr
           : found->second == shown_ ? &statuses_
                                     : hidden_.at(found->second).get();
}

/// A result shows in place of the previews of the nodes that it was made from, too.
void RunControl::takeImage(DocumentId document,
                           const std::string& node,
                           const NodeImage& nodeImage) {
    const graph::Document& graph = model_.document(document);
    const NodeDesc* desc = descOf(graph, model_.catalog(), node);
    const bool isOfOutput = desc && desc->output && !nodeImage.step;
    if (!arePreviewsShown_ && !isOfOutput) {
        return;
    }
    NodeStatuses& statuses = document == shown_ ? statuses_ : *hidden_.at(document);
    statuses.takeImage(node, nodeImage);
    if (nodeImage.step) {
        return;
    }
    for (const std::string& source : sourcesOf(graph, node)) {
        if (statuses.of(source).step) {
            statuses.takeImage(source, nodeImage);
        }
    }
}

/// A result that is kept shows as it did when it was made, also where another one came between.
void RunControl::showKept(quint64 run, const std::string& node) {
    const DocumentId document = mine_.at(run);
    const QStringList files = statusesOf(run)->of(node).files;
    if (files.isEmpty()) {
        return;
    }
    loadImageLater(files.front(), this, [this, document, node, files](const LoadedImage& loaded) {
        if (!model_.isOpen(document)) {
            return;
        }
        NodeStatuses& statuses = document == shown_ ? statuses_ : *hidden_.at(document);
        const NodeStatus& status = statuses.of(node);
        if (loaded.levels.empty() || status.files != files ||
            status.activity != NodeActivity::Cached) {
            return;
        }
        statuses.takeImage(
            node,
            {.image = loaded.levels.back(),
             .size = loaded.size.isEmpty() ? loaded.levels.front().size() : loaded.size});
    });
}

quint64 RunControl::run(RunHow how, const std::set<std::string>& until) {
    model_.endMerging();
    model_.adjust(
        [this](graph::Document& document) { renewSeeds(document, model_.catalog(), random_); });
    std::optional<AskedRun> run = drawn(model_.document(), origin(how, until));
    return run ? mine({queue_.add(std::move(*run), how == RunHow::First)}, model_.shown()).front()
               : 0;
}

void RunControl::runSeveral(int count, SeveralSeeds how) {
    const auto make = [this, origin = origin(), before = std::string()](graph::Document document,
                                                                        uint64_t) mutable {
        std::optional<AskedRun> run = drawn(std::move(document), origin);
        // Who asks for the same once more wants it made, not found.
        if (run && run->graph == std::exchange(before, run->graph)) {
            run->options["forceExecution"] = true;
        }
        return run;
    };
    runEach(static_cast<uint64_t>(count), how, make);
}

std::vector<quint64> RunControl::runVariants(std::vector<Variant> variants,
                                             const graph::Document& base,
                                             const Json& more) {
    model_.endMerging();
    const graph::Catalog& catalog = model_.catalog();
    for (Variant& variant : variants) {
        const Issues undrawn =
            resolvePrompts(variant.document, catalog, wildcards_->lists, runSeed(base, catalog));
        if (!undrawn.empty()) {
            Q_EMIT refused(reworded(undrawn));
            return {};
        }
    }
    Json whole = options(RunHow::Last, {});
    whole.update(more);
    std::vector<AskedRun> runs;
    for (const Variant& variant : variants) {
        runs.push_back({.title = tr("%1: %2").arg(name_, variant.title),
                        .graph = graph::toText(variant.document),
                        .options = whole,
                        .words = runWordsOf(variant.document, catalog, name_),
                        .work = workOf(variant.document, catalog)});
    }
    return mine(queue_.addAll(std::move(runs)), model_.shown());
}

void RunControl::runPrompts(const PromptField& field,
                            const QStringList& prompts,
                            SeveralSeeds how) {
    const auto make = [this, field, prompts, origin = origin()](graph::Document document,
                                                                uint64_t number) {
        document.nodes.at(field.node).params[field.param] =
            prompts[static_cast<qsizetype>(number)].toStdString();
        return drawn(std::move(document), origin);
    };
    runEach(static_cast<uint64_t>(prompts.size()), how, make);
}

void RunControl::runCombinations(SeveralSeeds how) {
    const std::shared_ptr<const WildcardFiles> wildcards = wildcards_;
    const auto all =
        std::make_shared<PromptCombinations>(model_.document(), model_.catalog(), wildcards->lists);
    Issues undrawn;
    const uint64_t count = std::min<uint64_t>(all->count(undrawn), kMostRuns);
    if (isRefused(undrawn)) {
        return;
    }
    const auto make = [this, all, wildcards, origin = origin()](graph::Document document,
                                                                uint64_t number) {
        all->put(document, number);
        return std::optional(asked(document, origin));
    };
    runEach(count, how, make);
}

/// `make` gets the graph as it is open now, with the seeds of each run. Seeds that nodes renew
/// change in the open graph at once.
void RunControl::runEach(
    uint64_t count,
    SeveralSeeds how,
    std::function<std::optional<AskedRun>(graph::Document document, uint64_t number)> make) {
    model_.endMerging();
    const graph::Catalog& catalog = model_.catalog();
    std::vector<Json> renewed;
    if (how == SeveralSeeds::AsNodesSet) {
        model_.adjust([&](graph::Document& document) {
            while (renewed.size() < count) {
                renewSeeds(document, catalog, random_);
                renewed.push_back(seedsIn(document, catalog));
            }
        });
    }
    const auto next =
        [this, how, &catalog, open = model_.document(), renewed, make](uint64_t number) {
            graph::Document document = open;
            if (how == SeveralSeeds::AsNodesSet) {
                putSeeds(document, renewed.at(number));
            } else {
                spreadSeeds(document, catalog, how, number, random_);
            }
            return make(std::move(document), number);
        };
    const auto take =
        [this, document = model_.shown(), replaced = documents_](std::vector<AskedRun> runs) {
            const std::vector<quint64> ids = queue_.addAll(std::move(runs));
            if (model_.isOpen(document) && replaced == documents_) {
                mine(ids, document);
            }
        };
    maker_.make(count, next, take);
}

void RunControl::setWildcards(std::shared_ptr<const WildcardFiles> wildcards) {
    wildcards_ = std::move(wildcards);
}

/// nullopt: a prompt cannot be drawn, which is reported.
std::optional<AskedRun> RunControl::drawn(graph::Document document, const Origin& origin) {
    if (isRefused(resolvePrompts(document, model_.catalog(), wildcards_->lists))) {
        return std::nullopt;
    }
    return asked(document, origin);
}

/// Reports what could not be drawn, if there is anything.
bool RunControl::isRefused(const Issues& undrawn) {
    if (!undrawn.empty()) {
        setRepeating(false);
        Q_EMIT refused(reworded(undrawn));
    }
    return !undrawn.empty();
}

/// Nobody planned a run to some nodes, and whole runs take other times.
RunControl::Origin RunControl::origin(RunHow how, const std::set<std::string>& until) const {
    return {.name = name_,
            .options = options(how, until),
            .work = until.empty() ? workOf(model_.document(), model_.catalog()) : 0,
            .plannedSeconds =
                how == RunHow::Again ? std::nullopt : measuredSecondsOf(planning_.planned())};
}

AskedRun RunControl::asked(const graph::Document& document, const Origin& origin) const {
    const graph::Catalog& catalog = model_.catalog();
    SearchTerms words = runWordsOf(document, catalog, origin.name);
    const size_t work = origin.work == 0 ? 0 : workOf(document, catalog);
    const bool isPlanned = work != 0 && work == origin.work;
    return {.title =
                words.seed.isEmpty() ? origin.name : tr("%1, seed %2").arg(origin.name, words.seed),
            .graph = graph::toText(document),
            .options = origin.options,
            .words = std::move(words),
            .work = work,
            .plannedSeconds = isPlanned ? origin.plannedSeconds : std::nullopt};
}

Json RunControl::options(RunHow how, const std::set<std::string>& until) const {
    Json options = planning_.options().is_object() ? planning_.options() : Json::object();
    if (!outputFolder_.isEmpty()) {
        options["out"] = outputFolder_.toStdString();
    }
    if (!until.empty()) {
        options["until"] = until;
    }
    if (how == RunHow::Again) {
        options["forceExecution"] = true;
    }
    return options;
}

/// Runs that were queued for this document.
std::vector<quint64> RunControl::mine(std::vector<quint64> runs, DocumentId document) {
    for (const quint64 run : runs) {
        mine_.emplace(run, document);
    }
    const QueuedRun* running = queue_.running();
    if (running && std::find(runs.begin(), runs.end(), running->id) != runs.end()) {
        begin(running->id);  // it began within the queue, before it was known here
    }
    return runs;
}

void RunControl::setRepeating(bool isRepeating) {
    if (isRepeating == isRepeating_) {
        return;
    }
    isRepeating_ = isRepeating;
    Q_EMIT repeatingChanged(isRepeating);
    if (isRepeating_ && !isBusy()) {
        run(RunHow::Last);
    }
}

/// Behind what waits, whoever asked for that.
void RunControl::repeatWhereIdle() {
    if (isRepeating_ && !queue_.isPaused() && queue_.isIdle()) {
        run(RunHow::Last);
    }
}

std::vector<QueuedRun> RunControl::stopAfterThis() {
    setRepeating(false);
    finishAsked();
    std::vector<QueuedRun> waiting;
    std::vector<quint64> ids;
    for (const QueuedRun& run : queue_.runs()) {
        if (run.state == RunState::Waiting) {
            waiting.push_back(run);
            ids.push_back(run.id);
        }
    }
    queue_.takeBack(ids);
    return waiting;
}

void RunControl::cancel(CancelMode mode) {
    if (const QueuedRun* run = queue_.running()) {
        queue_.cancel(run->id, mode);
    }
}

void RunControl::forgetRuns() {
    setRepeating(false);
    std::erase_if(mine_, [this](const auto& run) { return run.second == shown_; });
    last_.erase(shown_);
    ++documents_;
    statuses_.forgetAll();
}

void RunControl::showOther() {
    setRepeating(false);
    auto known = hidden_.extract(model_.shown());
    auto other = known ? std::move(known.mapped()) : std::make_unique<NodeStatuses>();
    NodeStatuses& left = *other;
    hidden_[shown_] = std::move(other);
    shown_ = model_.shown();
    statuses_.swap(left);
}

void RunControl::forget(DocumentId document) {
    std::erase_if(mine_, [&](const auto& run) { return run.second == document; });
    hidden_.erase(document);
    last_.erase(document);
}

bool RunControl::isOfHidden(quint64 run) const {
    const auto found = mine_.find(run);
    return found != mine_.end() && found->second != shown_;
}

quint64 RunControl::lastRun() const {
    const auto found = last_.find(shown_);
    return found == last_.end() ? 0 : found->second;
}

bool RunControl::isBusy() const {
    return queue_.running() != nullptr;
}

void RunControl::begin(quint64 id) {
    if (NodeStatuses* statuses = statusesOf(id)) {
        last_[mine_.at(id)] = id;
        statuses->beginRun();
    }
    Q_EMIT busyChanged(true);
}

void RunControl::end(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    const auto found = mine_.find(id);
    if (run && found != mine_.end()) {
        const bool isOfShown = found->second == shown_;
        if (run->state == RunState::Failed) {
            Q_EMIT failed(id);
        } else if (run->state == RunState::Finished && run->executed == 0 && isOfShown) {
            Q_EMIT upToDate(id);
        }
        if (isOfShown && (run->state != RunState::Finished || run->executed == 0)) {
            setRepeating(false);  // it would go on so
        }
    }
    mine_.erase(id);
    repeatWhereIdle();
    Q_EMIT busyChanged(isBusy());
}

void RunControl::endWaiting(const std::vector<quint64>& runs) {
    for (const quint64 id : runs) {
        const auto found = mine_.find(id);
        if (found == mine_.end()) {
            continue;
        }
        if (found->second == shown_) {
            setRepeating(false);
        }
        mine_.erase(found);
    }
    repeatWhereIdle();
}

}  // namespace lowtide::ui
