#include "ui/bridge/run_queue.hpp"

#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/bridge/run_library.hpp"

#include <QDateTime>
#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

namespace lowtide::ui {

namespace {

/// Events are shown at most 15 times a second, because what is painted then takes time from the
/// run, and for at most so long at a time.
constexpr int kFetchMilliseconds = 66;
constexpr int kDrainMilliseconds = 8;
constexpr int kUntilEmpty = -1;

void addFiles(QStringList& files, const Json& more) {
    for (const Json& each : more) {
        const QString path = each.is_string() ? QString::fromStdString(each.get<std::string>())
                                              : QString::fromStdString(textIn(each, "path"));
        if (!path.isEmpty() && !files.contains(path)) {
            files.push_back(path);
        }
    }
}

/// What the module would have reported at the end; its event was lost.
Json endOf(Status status, const Json& report) {
    const char* text = status == Status::Ok          ? "ok"
                       : status == Status::Cancelled ? "cancelled"
                                                     : "failed";
    return {{"event", "runFinished"}, {"status", text}, {"issues", memberIn(report, "issues")}};
}

/// Bytes on the device that held most at once.
int64_t peakIn(const Json& report) {
    int64_t most = 0;
    const Json& repetitions = memberIn(report, "repetitions");
    if (!repetitions.is_array() || repetitions.empty()) {
        return most;
    }
    const Json& ledger = memberIn(repetitions.back(), "ledger");
    for (const Json& figures : ledger.is_object() ? ledger : Json::object()) {
        most = std::max(most, bytesIn(figures, "peak"));
    }
    return most;
}

RunState stateOf(Status status) {
    switch (status) {
        case Status::Ok:
            return RunState::Finished;
        case Status::Cancelled:
            return RunState::Cancelled;
        case Status::Invalid:
        case Status::Failed:
            return RunState::Failed;
    }
    return RunState::Failed;
}

/// Three bytes a pixel, and no longer a part of the large one.
QImage smallImage(const QImage& nodeImage) {
    if (nodeImage.isNull()) {
        return {};
    }
    return boundedBy(nodeImage, RunHistory::kThumbnailPixels)
        .convertToFormat(nodeImage.hasAlphaChannel() ? QImage::Format_ARGB32_Premultiplied
                                                     : QImage::Format_RGB888);
}

Level levelOf(const QueuedRun& run) {
    const bool hasWarning = std::any_of(run.issues.begin(), run.issues.end(), [](const auto& each) {
        return each.severity == Severity::Warning;
    });
    return run.state == RunState::Failed ? Level::Error : hasWarning ? Level::Warning : Level::Info;
}

std::string stateWord(RunState state) {
    return state == RunState::Finished ? "finished"
           : state == RunState::Failed ? "failed"
                                       : "cancelled";
}

}  // namespace

bool hasEnded(const QueuedRun& run) {
    return hasEnded(run.state);
}

const QImage& QueuedRun::largest() const {
    return nodeImage.image.isNull() ? thumbnail : nodeImage.largest();
}

RunHistory::Index RunHistory::indexOf(quint64 id) {
    return std::find_if(
        runs_.begin(), runs_.end(), [id](const QueuedRun& run) { return run.id == id; });
}

RunHistory::Index RunHistory::firstOpen() {
    return std::find_if(
        runs_.begin(), runs_.end(), [](const QueuedRun& run) { return !hasEnded(run); });
}

RunHistory::Index RunHistory::firstWaiting() {
    return std::find_if(runs_.begin(), runs_.end(), [](const QueuedRun& run) {
        return run.state == RunState::Waiting;
    });
}

const QueuedRun* RunHistory::find(quint64 id) const {
    const auto found = std::find_if(
        runs_.begin(), runs_.end(), [id](const QueuedRun& run) { return run.id == id; });
    return found == runs_.end() ? nullptr : &*found;
}

QueuedRun* RunHistory::find(quint64 id) {
    const Index found = indexOf(id);
    return found == runs_.end() ? nullptr : &*found;
}

QueuedRun* RunHistory::nextWaiting() {
    const Index next = firstWaiting();
    return next == runs_.end() ? nullptr : &*next;
}

quint64 RunHistory::add(QueuedRun run, bool isFirst) {
    run.id = ++lastId_;
    runs_.insert(isFirst ? firstWaiting() : runs_.end(), std::move(run));
    return lastId_;
}

std::vector<quint64> RunHistory::takeBack(const std::vector<quint64>& ids) {
    const std::set<quint64> wanted(ids.begin(), ids.end());
    std::vector<quint64> taken;
    const Index first = firstOpen();
    for (Index run = first; run != runs_.end(); ++run) {
        if (run->state == RunState::Waiting && wanted.contains(run->id)) {
            run->state = RunState::Cancelled;
            run->endedAs = ++lastEnd_;
            taken.push_back(run->id);
        }
    }
    std::stable_partition(first, runs_.end(), [](const QueuedRun& run) { return hasEnded(run); });
    return taken;
}

bool RunHistory::moveWaiting(const std::vector<quint64>& ids, int index) {
    const std::set<quint64> moved(ids.begin(), ids.end());
    const auto isMoved = [&](const QueuedRun& run) { return moved.contains(run.id); };
    std::vector<quint64> before;
    for (Index run = firstWaiting(); run != runs_.end(); ++run) {
        before.push_back(run->id);
    }
    const Index first = firstWaiting();
    const Index begin = std::stable_partition(first, runs_.end(), std::not_fn(isMoved));
    const std::ptrdiff_t remaining = begin - first;
    std::rotate(
        first + std::clamp(static_cast<std::ptrdiff_t>(index), std::ptrdiff_t{0}, remaining),
        begin,
        runs_.end());
    return !std::equal(before.begin(), before.end(), first, [](quint64 id, const QueuedRun& run) {
        return id == run.id;
    });
}

void RunHistory::orderWaiting(const std::vector<quint64>& ids) {
    std::unordered_map<quint64, size_t> named;
    for (const quint64 id : ids) {
        named.emplace(id, named.size() + 1);
    }
    std::unordered_map<quint64, size_t> ranks;
    size_t last = 0;
    for (Index run = firstWaiting(); run != runs_.end(); ++run) {
        const auto rank = named.find(run->id);
        last = rank == named.end() ? last : rank->second;
        ranks.emplace(run->id, last);
    }
    std::stable_sort(
        firstWaiting(), runs_.end(), [&ranks](const QueuedRun& one, const QueuedRun& other) {
            return ranks.at(one.id) < ranks.at(other.id);
        });
}

std::vector<QueuedRun> RunHistory::remove(const std::vector<quint64>& ids) {
    const std::set<quint64> gone(ids.begin(), ids.end());
    const Index end = firstOpen();
    const Index begin = std::stable_partition(
        runs_.begin(), end, [&](const QueuedRun& run) { return !gone.contains(run.id); });
    std::vector<QueuedRun> removed(std::make_move_iterator(begin), std::make_move_iterator(end));
    runs_.erase(begin, end);
    return removed;
}

void RunHistory::restore(std::vector<QueuedRun> runs) {
    runs_.insert(
        runs_.begin(), std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
    std::ranges::sort(runs_.begin(), firstOpen(), {}, &QueuedRun::endedAs);
    thin();
}

void RunHistory::end(quint64 id, RunState state) {
    QueuedRun* run = find(id);
    run->state = state;
    run->endedAs = ++lastEnd_;
    if (run->nodeImage.step) {
        run->nodeImage = {};
    }
    if (!run->files.isEmpty()) {
        run->nodeImage.whole = {};  // a file has it
    }
    run->thumbnail = smallImage(run->nodeImage.image);
    thin();
}

bool RunHistory::thin() {
    const auto ended = static_cast<size_t>(firstOpen() - runs_.begin());
    for (size_t old = 0; old + kMostLarge < ended; ++old) {
        runs_[old].nodeImage.whole = {};
    }
    for (size_t old = 0; old + kMostWhole < ended; ++old) {
        runs_[old].nodeImage.image = {};
        runs_[old].report = nullptr;
    }
    if (ended <= kMostEnded) {
        return false;
    }
    runs_.erase(runs_.begin(), firstOpen() - static_cast<std::ptrdiff_t>(kMostEnded));
    return true;
}

const QueuedRun* RunHistory::writerOf(const QString& file) const {
    const auto found = std::find_if(runs_.rbegin(), runs_.rend(), [&](const QueuedRun& run) {
        return run.files.contains(file);
    });
    return found == runs_.rend() ? nullptr : &*found;
}

QStringList RunHistory::siblingFiles(const QString& file) const {
    const QueuedRun* run = writerOf(file);
    return run ? run->files : QStringList{file};
}

/// What is needed while a run is with the module.
struct RunQueue::Link {
    quint64 id = 0;
    std::shared_ptr<ActiveRun> active;  ///< null: none
    RunProgress progress;
    QElapsedTimer since;         ///< it is with the module
    std::deque<Json> pending;    ///< fetched and not yet reported
    bool isEndReported = false;  ///< its runFinished was
    QTimer timer;
    Background background;
};

struct RunQueue::Ended {
    ActiveRun::Result result;
    Json report;
};

RunQueue::RunQueue(Runner& runner, RunLibrary* library, QObject* parent)
    : QObject(parent), runner_(runner), library_(library), link_(std::make_unique<Link>()) {
    link_->timer.setInterval(kFetchMilliseconds);
    connect(&link_->timer, &QTimer::timeout, this, &RunQueue::fetch);
    connect(this, &RunQueue::listChanged, this, &RunQueue::countWaiting);  // before all others
}

RunQueue::~RunQueue() {
    if (link_->active) {
        link_->active->cancel(runner_, CancelMode::Now);
    }
}

const QueuedRun* RunQueue::running() const {
    return link_->active ? find(link_->id) : nullptr;
}

bool RunQueue::isIdle() const {
    return runs().empty() || hasEnded(runs().back());
}

QueueProgress RunQueue::progress() const {
    constexpr double kMillisecondsPerSecond = 1000;
    const QueuedRun* run = running();
    const double seconds =
        run ? static_cast<double>(link_->since.elapsed()) / kMillisecondsPerSecond : 0;
    QueueProgress progress = queueProgress(run, seconds, ended_, waiting_, runTimes_);
    if (isPaused_ && waiting_.count > 0) {
        progress.secondsLeft.reset();
    }
    return progress;
}

void RunQueue::countWaiting() {
    waiting_ = waitingRuns(runs(), runTimes_);
    ended_ = isIdle() ? 0 : ended_;
}

quint64 RunQueue::add(
    const QString& title, std::string graph, Json options, bool front, const SearchTerms& words) {
    return add(
        {.title = title, .graph = std::move(graph), .options = std::move(options), .words = words},
        front);
}

quint64 RunQueue::add(AskedRun run, bool front) {
    return put({std::move(run)}, front).front();
}

std::vector<quint64> RunQueue::addAll(std::vector<AskedRun> runs) {
    return put(std::move(runs), false);
}

std::vector<quint64> RunQueue::put(std::vector<AskedRun> runs, bool areFirst) {
    std::vector<quint64> ids;
    std::vector<RunRecord> kept;
    std::vector<std::pair<RunKey, RunKey>> replacements;
    const int64_t now = QDateTime::currentMSecsSinceEpoch();
    for (AskedRun& asked : runs) {
        RunRecord record{.title = asked.title, .words = asked.words, .asked = now};
        if (library_) {
            record.graph = asked.graph;
            record.options = asked.options.dump();
        }
        QueuedRun run;
        run.title = asked.title;
        run.graph = std::move(asked.graph);
        run.options = std::move(asked.options);
        run.words = std::move(asked.words);
        run.work = asked.work;
        run.plannedSeconds = asked.plannedSeconds;
        ids.push_back(history_.add(std::move(run), areFirst));
        if (library_) {
            record.key = library_->keyOf(ids.back());
            if (!asked.replacedRun.isEmpty()) {
                replacements.emplace_back(asked.replacedRun, record.key);
            }
            kept.push_back(std::move(record));
        }
    }
    if (!kept.empty()) {
        library_->add(std::move(kept));
        if (!replacements.empty()) {
            library_->write([replacements = std::move(replacements)](RunStore& store) {
                store.replaceRuns(replacements);
            });
        }
    }
    if (areFirst) {
        keepOrder();
    }
    if (!ids.empty()) {
        Q_EMIT listChanged();
        startNext();
    }
    return ids;
}

void RunQueue::cancel(quint64 id, CancelMode mode) {
    if (mode == CancelMode::No) {
        return;
    }
    if (link_->active && link_->id == id) {
        link_->active->cancel(runner_, mode);
    } else {
        takeBack({id});
    }
}

void RunQueue::takeBack(const std::vector<quint64>& ids) {
    const std::vector<quint64> taken = history_.takeBack(ids);
    if (taken.empty()) {
        return;
    }
    keepTakenBack(taken);
    Q_EMIT listChanged();
    Q_EMIT takenBack(taken);
    if (history_.thin()) {  // all are known while they are reported
        Q_EMIT listChanged();
    }
}

void RunQueue::setPaused(bool isPaused) {
    if (isPaused == isPaused_) {
        return;
    }
    isPaused_ = isPaused;
    Q_EMIT pausedChanged(isPaused);
    startNext();
}

void RunQueue::moveWaiting(const std::vector<quint64>& ids, int index) {
    if (history_.moveWaiting(ids, index)) {
        keepOrder();
        Q_EMIT listChanged();
    }
}

std::vector<quint64> RunQueue::addAgain(const std::vector<QueuedRun>& runs, const Json& more) {
    std::vector<AskedRun> again;
    for (const QueuedRun& run : runs) {
        Json options = run.options.is_object() ? run.options : Json::object();
        options.update(more);
        again.push_back({.title = run.title,
                         .graph = run.graph,
                         .options = std::move(options),
                         .words = run.words,
                         .work = run.work,
                         .plannedSeconds = run.plannedSeconds,
                         .replacedRun = library_ ? library_->keyOf(run.id) : RunKey()});
    }
    return addAll(std::move(again));
}

std::vector<QueuedRun> RunQueue::remove(const std::vector<quint64>& ids) {
    std::vector<QueuedRun> removed = history_.remove(ids);
    if (!removed.empty()) {
        Q_EMIT listChanged();
    }
    return removed;
}

void RunQueue::restore(std::vector<QueuedRun> runs) {
    if (!runs.empty()) {
        history_.restore(std::move(runs));
        Q_EMIT listChanged();
    }
}

std::vector<QueuedRun> RunQueue::takeAway(const std::vector<quint64>& ids) {
    const std::vector<quint64> taken = history_.takeBack(ids);
    if (taken.empty()) {
        return {};
    }
    keepTakenBack(taken);
    Q_EMIT takenBack(taken);  // all are known while they are reported
    std::vector<QueuedRun> away = history_.remove(taken);
    Q_EMIT listChanged();
    return away;
}

std::vector<quint64> RunQueue::waitAgain(const std::vector<QueuedRun>& runs,
                                         const std::vector<quint64>& waiting) {
    const std::vector<quint64> ids = addAgain(runs);
    std::map<quint64, quint64> again;
    for (size_t run = 0; run < runs.size(); ++run) {
        again.emplace(runs[run].id, ids[run]);
    }
    std::vector<quint64> order;
    for (const quint64 id : waiting) {
        const auto found = again.find(id);
        order.push_back(found == again.end() ? id : found->second);
    }
    history_.orderWaiting(order);
    keepOrder();
    Q_EMIT listChanged();
    return ids;
}

void RunQueue::startNext() {
    QueuedRun* next = history_.nextWaiting();
    if (link_->active || isPaused_ || !next) {
        return;
    }
    QueuedRun& run = *next;
    run.state = RunState::Running;
    const quint64 id = run.id;
    if (library_) {
        library_->write([key = library_->keyOf(id), now = QDateTime::currentMSecsSinceEpoch()](
                            RunStore& store) { store.begin(key, now); });
    }
    link_->id = id;
    link_->active = std::make_shared<ActiveRun>();
    link_->progress = RunProgress(times_);
    link_->isEndReported = false;
    link_->since.start();
    countWaiting();
    link_->timer.start();
    link_->background.run([this,
                           id,
                           &runner = runner_,
                           active = link_->active,
                           graph = run.graph,
                           options = run.options.is_null() ? "{}" : run.options.dump()] {
        auto ended = std::make_shared<Ended>();
        ended->result = active->carryOut(runner, graph, options);
        ended->report = answerOf(ended->result.text);
        return [this, id, ended] { finish(id, *ended); };
    });
    Q_EMIT started(id);
    Q_EMIT runChanged(id);
}

void RunQueue::fetch() {
    if (!link_->active) {
        return;
    }
    const quint64 id = link_->id;
    EventBuffer::Batch batch = link_->active->buffer().fetch();
    std::move(batch.events.begin(), batch.events.end(), std::back_inserter(link_->pending));
    QueuedRun* run = history_.find(id);
    if (batch.lost > 0) {
        run->issues.push_back(
            {.severity = Severity::Info,
             .code = "events_missed",
             .message = Message(tr("%n events of the run came too fast to be shown",
                                   nullptr,
                                   static_cast<int>(batch.lost))
                                    .toStdString())});
    }
    // A result takes the place of previews while they stand: until the run ends. A preview is of a
    // node that has begun.
    reportImages(id, batch.images, false);
    drain(kDrainMilliseconds);
    reportImages(id, batch.images, true);
}

void RunQueue::reportImages(quint64 id,
                            const std::map<std::string, NodeImage>& images,
                            bool arePreviews) {
    for (const auto& [node, shown] : images) {
        QueuedRun* run = history_.find(id);
        if (run && shown.step.has_value() == arePreviews) {
            const bool hasResult = !run->nodeImage.image.isNull() && !run->nodeImage.step;
            run->nodeImage = arePreviews && hasResult ? run->nodeImage : shown;
            Q_EMIT nodeImage(id, node, shown);
        }
    }
}

void RunQueue::drain(int milliseconds) {
    const quint64 id = link_->id;
    QElapsedTimer clock;
    clock.start();
    const bool hasNews = !link_->pending.empty();
    while (!link_->pending.empty() &&
           (milliseconds == kUntilEmpty || clock.elapsed() < milliseconds)) {
        const Json event = std::move(link_->pending.front());
        link_->pending.pop_front();
        take(id, event);
    }
    if (hasNews) {
        Q_EMIT runChanged(id);
    }
}

void RunQueue::take(quint64 id, const Json& json) {
    QueuedRun* run = history_.find(id);
    link_->progress.take(json);
    run->progress = link_->progress.value();
    const std::string kind = textIn(json, "event");
    link_->isEndReported = link_->isEndReported || kind == "runFinished";
    if (kind == "nodeProgress") {
        run->phase = phaseText(json);
        run->secondsLeft = secondsLeftIn(json);
    } else if (kind != "nodePreview") {
        run->phase.clear();  // of another node, or of none
        run->secondsLeft.reset();
    }
    if (kind == "nodeFinished") {
        times_[textIn(json, "node")] = numberIn(json, "ms");
    }
    if (kind == "nodeFinished" || kind == "nodeCached") {
        keepFiles(*run,
                  memberIn(json, "files"),
                  kind == "nodeFinished" ? ImageClaim::Wrote : ImageClaim::Named);
    } else if (kind == "nodeIssue" || kind == "nodeFailed") {
        addNew(run->issues, {issueFromJson(memberIn(json, "issue"))});
    }
    Q_EMIT event(id, json);
}

void RunQueue::finish(quint64 id, Ended& over) {
    fetch();
    drain(kUntilEmpty);
    if (over.result.hasBegun && !link_->isEndReported) {
        take(id, endOf(over.result.status, over.report));
    }
    link_->timer.stop();
    QueuedRun* run = history_.find(id);
    addNew(run->issues, issuesFromJson(memberIn(over.report, "issues")));
    if (over.result.hasBegun) {
        run->milliseconds = numberIn(over.report, "ms");
        run->executed = static_cast<int>(bytesIn(over.report, "executed"));
        keepFiles(*run, memberIn(over.report, "files"), ImageClaim::Named);
        run->report = std::move(over.report);
    }
    history_.end(id, stateOf(over.result.status));
    if (library_) {  // a run has ended for others when that is written
        library_->end({recordOf(*history_.find(id))}, this, [this, id] { reportEnd(id); });
    } else {
        reportEnd(id);
    }
}

void RunQueue::reportEnd(quint64 id) {
    link_->active.reset();
    if (const QueuedRun* run = history_.find(id)) {  // else the user removed it just now
        runTimes_.take(*run);
    }
    ++ended_;
    Q_EMIT listChanged();
    Q_EMIT runChanged(id);
    Q_EMIT ended(id);
    startNext();
}

/// What it wrote is kept as soon as a node reports it: the run may not come to its end.
void RunQueue::keepFiles(QueuedRun& run, const Json& files, ImageClaim claim) {
    const qsizetype before = run.files.size();
    addFiles(run.files, files);
    if (library_ && run.files.size() > before) {
        library_->addImages(library_->keyOf(run.id), run.files.mid(before), claim);
    }
}

void RunQueue::keepOrder() {
    if (!library_) {
        return;
    }
    std::vector<RunKey> waiting;
    for (const QueuedRun& run : runs()) {
        if (run.state == RunState::Waiting) {
            waiting.push_back(library_->keyOf(run.id));
        }
    }
    library_->write([waiting](RunStore& store) { store.setOrder(waiting); });
}

void RunQueue::keepTakenBack(const std::vector<quint64>& ids) {
    if (!library_) {
        return;
    }
    const std::set<quint64> taken(ids.begin(), ids.end());
    std::vector<RunRecord> over;
    for (const QueuedRun& run : runs()) {
        if (taken.contains(run.id)) {
            over.push_back(recordOf(run));
        }
    }
    library_->end(std::move(over), this, {});
}

RunRecord RunQueue::recordOf(const QueuedRun& run) const {
    const auto* error = firstErrorIn(run.issues);
    return {.key = library_ ? library_->keyOf(run.id) : RunKey(),
            .state = run.state,
            .milliseconds = run.milliseconds,
            .peak = peakIn(run.report),
            .executed = run.executed,
            .problem = error ? QString::fromStdString(error->message.str()) : QString()};
}

std::string endText(const QueuedRun& run) {
    std::string text = "run " + std::to_string(run.id) + ": " + stateWord(run.state) + " after " +
                       formatNumber(std::round(run.milliseconds / 100) / 10) + " s";
    if (run.executed >= 0) {
        text += ", nodes executed: " + std::to_string(run.executed);
    }
    if (!run.files.isEmpty()) {
        text += ", files written: " + std::to_string(run.files.size());
    }
    for (const Issue& issue : run.issues) {
        if (issue.severity != Severity::Info) {
            text += "; " + (issue.node.empty() ? "" : issue.node + ": ") + issue.message.str();
        }
    }
    return text;
}

RunLog::RunLog(const RunQueue& queue, QObject* parent) : QObject(parent), queue_(queue) {
    connect(&queue_, &RunQueue::started, this, &RunLog::reportBegin);
    connect(&queue_, &RunQueue::ended, this, &RunLog::reportEnd);
    connect(&queue_, &RunQueue::takenBack, this, [](const std::vector<quint64>& ids) {
        log(Level::Info, "runs taken back before they began: " + std::to_string(ids.size()));
    });
}

void RunLog::reportBegin(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    if (!run) {
        return;
    }
    const std::string device = textIn(run->options, "device");
    const std::string budget = textIn(run->options, "memoryBudget");
    log(Level::Info,
        "run " + std::to_string(id) + " begins" + (device.empty() ? "" : " on " + device) +
            (budget.empty() ? "" : ", budget " + budget));
}

void RunLog::reportEnd(quint64 id) {
    if (const QueuedRun* run = queue_.find(id)) {
        log(levelOf(*run), endText(*run));
    }
}

}  // namespace lowtide::ui
