#include "ui/bridge/run_control.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/picture_load.hpp"
#include "ui/bridge/run_words.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/prompts/resolved_graph.hpp"

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
      random_([] { return QRandomGenerator::system()->generate64(); }) {
    connect(&queue_, &RunQueue::started, this, &RunControl::begin);
    connect(&queue_, &RunQueue::ended, this, &RunControl::end);
    connect(&queue_, &RunQueue::pausedChanged, this, &RunControl::repeatWhereIdle);
    connect(&queue_, &RunQueue::event, this, [this](quint64 id, const Json& event) {
        if (mine_.contains(id)) {
            statuses_.take(event);
            if (textIn(event, "event") == "nodeCached") {
                showKept(textIn(event, "node"));
            }
        }
    });
    connect(&queue_,
            &RunQueue::picture,
            this,
            [this](quint64 id, const std::string& node, const NodePicture& picture) {
                if (mine_.contains(id)) {
                    takePicture(node, picture);
                }
            });
}

void RunControl::setPreviews(bool areShown) {
    const bool wereShown = std::exchange(arePreviewsShown_, areShown);
    if (wereShown && !areShown) {
        statuses_.dropPreviews();
    }
}

/// A result shows in place of the previews of the nodes that it was made from, too.
void RunControl::takePicture(const std::string& node, const NodePicture& picture) {
    const NodeDesc* desc = model_.desc(node);
    const bool isOfOutput = desc && desc->output && !picture.step;
    if (!arePreviewsShown_ && !isOfOutput) {
        return;
    }
    statuses_.takePicture(node, picture);
    if (picture.step) {
        return;
    }
    for (const std::string& source : sourcesOf(model_.document(), node)) {
        if (statuses_.of(source).step) {
            statuses_.takePicture(source, picture);
        }
    }
}

/// A result that is kept shows as it did when it was made, also where another one came between.
void RunControl::showKept(const std::string& node) {
    const QStringList files = statuses_.of(node).files;
    if (files.isEmpty()) {
        return;
    }
    loadPictureLater(files.front(), this, [this, node, files](const LoadedPicture& loaded) {
        const NodeStatus& status = statuses_.of(node);
        if (loaded.levels.empty() || status.files != files ||
            status.activity != NodeActivity::Cached) {
            return;
        }
        statuses_.takePicture(
            node,
            {.image = loaded.levels.back(),
             .size = loaded.size.isEmpty() ? loaded.levels.front().size() : loaded.size});
    });
}

quint64 RunControl::run(RunHow how, const std::set<std::string>& until) {
    model_.endMerging();
    model_.adjust(
        [this](graph::Document& document) { renewSeeds(document, model_.catalog(), random_); });
    return add(model_.document(), how, until);
}

void RunControl::runSeveral(int count, SeveralSeeds how) {
    std::string before;
    for (int i = 0; i < count; ++i) {
        const graph::Document document = withSeeds(how, static_cast<uint64_t>(i));
        std::string text = graph::toText(document);
        // Who asks for the same once more wants it made, not found.
        const RunHow next = text == before ? RunHow::Anew : RunHow::Last;
        before = std::move(text);
        if (add(document, next, {}) == 0) {
            return;
        }
    }
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
    std::vector<quint64> runs;
    for (const Variant& variant : variants) {
        runs.push_back(queue(tr("%1: %2").arg(name_, variant.title),
                             variant.document,
                             whole,
                             RunHow::Last,
                             runWordsOf(variant.document, catalog, name_)));
    }
    return runs;
}

void RunControl::runPrompts(const PromptPlace& place,
                            const QStringList& prompts,
                            SeveralSeeds how) {
    uint64_t number = 0;
    for (const QString& prompt : prompts) {
        const auto put = [&](graph::Document& document) {
            document.nodes.at(place.node).params[place.param] = prompt.toStdString();
        };
        if (addOneOf(how, number++, put) == 0) {
            return;
        }
    }
}

void RunControl::runCombinations(SeveralSeeds how) {
    Issues undrawn;
    const std::shared_ptr<const WildcardFiles> wildcards = wildcards_;
    PromptCombinations all(model_.document(), model_.catalog(), wildcards->lists);
    const uint64_t count = all.count(undrawn);
    if (!undrawn.empty()) {
        Q_EMIT refused(reworded(undrawn));
        return;
    }
    for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostRuns); ++i) {
        graph::Document document = withSeeds(how, i);
        all.put(document, i);
        addDrawn(document, RunHow::Last, {});
    }
}

quint64 RunControl::addOneOf(SeveralSeeds how, uint64_t number, const Edit& put) {
    graph::Document document = withSeeds(how, number);
    if (put) {
        put(document);
    }
    return add(std::move(document), RunHow::Last, {});
}

/// The open graph as run number `number` of several has it.
graph::Document RunControl::withSeeds(SeveralSeeds how, uint64_t number) {
    model_.endMerging();
    if (how == SeveralSeeds::AsNodesSay) {
        model_.adjust(
            [this](graph::Document& document) { renewSeeds(document, model_.catalog(), random_); });
    }
    graph::Document document = model_.document();
    if (how != SeveralSeeds::AsNodesSay) {
        spreadSeeds(document, model_.catalog(), how, number, random_);
    }
    return document;
}

void RunControl::setWildcards(std::shared_ptr<const WildcardFiles> wildcards) {
    wildcards_ = std::move(wildcards);
}

quint64 RunControl::add(graph::Document document, RunHow how, const std::set<std::string>& until) {
    const Issues undrawn = resolvePrompts(document, model_.catalog(), wildcards_->lists);
    if (!undrawn.empty()) {
        setRepeating(false);
        Q_EMIT refused(reworded(undrawn));
        return 0;
    }
    return addDrawn(document, how, until);
}

quint64 RunControl::addDrawn(const graph::Document& document,
                             RunHow how,
                             const std::set<std::string>& until) {
    const RunWords words = runWordsOf(document, model_.catalog(), name_);
    return queue(titleOf(words), document, options(how, until), how, words);
}

Json RunControl::options(RunHow how, const std::set<std::string>& until) const {
    Json options = planning_.options().is_object() ? planning_.options() : Json::object();
    if (!outputFolder_.isEmpty()) {
        options["out"] = outputFolder_.toStdString();
    }
    if (!until.empty()) {
        options["until"] = until;
    }
    if (how == RunHow::Anew) {
        options["forceExecution"] = true;
    }
    return options;
}

quint64 RunControl::queue(const QString& title,
                          const graph::Document& document,
                          Json options,
                          RunHow how,
                          const RunWords& words) {
    const quint64 id =
        queue_.add(title, graph::toText(document), std::move(options), how == RunHow::First, words);
    mine_.insert(id);
    if (queue_.running() && queue_.running()->id == id) {
        begin(id);  // it began within add(), before it was known here
    }
    return id;
}

QString RunControl::titleOf(const RunWords& words) const {
    return words.seed.isEmpty() ? name_ : tr("%1, seed %2").arg(name_, words.seed);
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
    const auto& runs = queue_.runs();
    const bool isIdle =
        std::all_of(runs.begin(), runs.end(), [](const QueuedRun& run) { return hasEnded(run); });
    if (isRepeating_ && !queue_.isPaused() && isIdle) {
        run(RunHow::Last);
    }
}

std::vector<QueuedRun> RunControl::stopAfterThis() {
    setRepeating(false);
    std::vector<QueuedRun> waiting;
    for (const QueuedRun& run : queue_.runs()) {
        if (run.state == RunState::Waiting) {
            waiting.push_back(run);
        }
    }
    for (const QueuedRun& run : waiting) {
        queue_.cancel(run.id, CancelMode::Now);
    }
    return waiting;
}

void RunControl::cancel(CancelMode mode) {
    if (const QueuedRun* run = queue_.running()) {
        queue_.cancel(run->id, mode);
    }
}

void RunControl::forgetRuns() {
    setRepeating(false);
    mine_.clear();
    statuses_.forgetAll();
}

bool RunControl::isBusy() const {
    return queue_.running() != nullptr;
}

void RunControl::begin(quint64 id) {
    if (mine_.contains(id)) {
        statuses_.beginRun();
    }
    Q_EMIT busyChanged(true);
}

void RunControl::end(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    if (run && mine_.contains(id)) {
        if (run->state == RunState::Failed) {
            Q_EMIT failed(id);
        } else if (run->state == RunState::Finished && run->executed == 0) {
            Q_EMIT upToDate(id);
        } else if (run->state == RunState::Finished) {
            Q_EMIT finished(id);
        }
        if (run->state != RunState::Finished || run->executed == 0) {
            setRepeating(false);  // it would go on so
        }
    }
    mine_.erase(id);
    repeatWhereIdle();
    Q_EMIT busyChanged(isBusy());
}

}  // namespace lowtide::ui
