#include "ui/bridge/run_queue.hpp"

#include "ui/bridge/active_run.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/phase.hpp"
#include "ui/bridge/run_library.hpp"

#include <QDateTime>
#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <deque>
#include <iterator>
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

/// What the module would have told at the end; its event was lost.
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

}  // namespace

/// What is needed while a run is with the module.
struct RunQueue::Link {
    quint64 id = 0;
    std::shared_ptr<ActiveRun> active;  ///< null: none
    RunProgress progress;
    std::deque<Json> pending;  ///< fetched and not yet told
    bool isEndTold = false;    ///< its runFinished was
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
}

RunQueue::~RunQueue() {
    if (link_->active) {
        link_->active->cancel(runner_, CancelMode::Now);
    }
}

const QueuedRun* RunQueue::running() const {
    return link_->active ? find(link_->id) : nullptr;
}

quint64 RunQueue::add(
    const QString& title, std::string graph, Json options, bool front, const RunWords& words) {
    QueuedRun run;
    run.title = title;
    run.graph = std::move(graph);
    run.options = std::move(options);
    run.words = words;
    const quint64 id = book_.add(std::move(run), front);
    if (library_) {
        const QueuedRun& added = *book_.find(id);
        library_->add({.key = library_->keyOf(id),
                       .title = added.title,
                       .graph = added.graph,
                       .options = added.options.dump(),
                       .words = words,
                       .asked = QDateTime::currentMSecsSinceEpoch()});
        if (front) {
            keepOrder();
        }
    }
    Q_EMIT listChanged();
    startNext();
    return id;
}

void RunQueue::cancel(quint64 id, CancelMode mode) {
    if (mode == CancelMode::No) {
        return;
    }
    if (link_->active && link_->id == id) {
        link_->active->cancel(runner_, mode);
    } else if (book_.takeBack(id)) {
        keepEnd(*book_.find(id), {});
        Q_EMIT listChanged();
        Q_EMIT ended(id);
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

void RunQueue::moveWaiting(quint64 id, int place) {
    if (book_.moveWaiting(id, place)) {
        keepOrder();
        Q_EMIT listChanged();
    }
}

quint64 RunQueue::retry(quint64 id, const Json& more) {
    const QueuedRun* run = find(id);
    return run ? addAgain(*run, more) : 0;
}

quint64 RunQueue::addAgain(const QueuedRun& run, const Json& more) {
    const quint64 before = run.id;
    Json options = run.options.is_object() ? run.options : Json::object();
    options.update(more);
    const RunWords words = run.words;
    const quint64 again = add(run.title, run.graph, std::move(options), false, words);
    if (library_) {
        library_->takePlace(library_->keyOf(before), library_->keyOf(again));
    }
    return again;
}

void RunQueue::remove(quint64 id) {
    if (book_.remove(id)) {
        Q_EMIT listChanged();
    }
}

void RunQueue::startNext() {
    QueuedRun* next = book_.nextWaiting();
    if (link_->active || isPaused_ || !next) {
        return;
    }
    QueuedRun& run = *next;
    run.state = RunState::Running;
    const quint64 id = run.id;
    if (library_) {
        library_->begin(library_->keyOf(id));
    }
    link_->id = id;
    link_->active = std::make_shared<ActiveRun>();
    link_->progress = RunProgress(times_);
    link_->isEndTold = false;
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
    QueuedRun* run = book_.find(id);
    if (batch.lost > 0) {
        run->issues.push_back({.severity = Severity::Info,
                               .code = "events_missed",
                               .message = tr("%n events of the run came too fast to be shown",
                                             nullptr,
                                             static_cast<int>(batch.lost))
                                              .toStdString()});
    }
    // A result takes the place of previews while they stand: until the run ends. A preview is of a
    // node that has begun.
    tellPictures(id, batch.pictures, false);
    drain(kDrainMilliseconds);
    tellPictures(id, batch.pictures, true);
}

void RunQueue::tellPictures(quint64 id,
                            const std::map<std::string, NodePicture>& pictures,
                            bool arePreviews) {
    for (const auto& [node, shown] : pictures) {
        QueuedRun* run = book_.find(id);
        if (run && shown.step.has_value() == arePreviews) {
            const bool hasResult = !run->picture.image.isNull() && !run->picture.step;
            run->picture = arePreviews && hasResult ? run->picture : shown;
            Q_EMIT picture(id, node, shown);
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
    QueuedRun* run = book_.find(id);
    link_->progress.take(json);
    run->progress = link_->progress.value();
    const std::string kind = textIn(json, "event");
    link_->isEndTold = link_->isEndTold || kind == "runFinished";
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
                  kind == "nodeFinished" ? PictureClaim::Wrote : PictureClaim::Named);
    } else if (kind == "nodeIssue" || kind == "nodeFailed") {
        addNew(run->issues, {issueFromJson(memberIn(json, "issue"))});
    }
    Q_EMIT event(id, json);
}

void RunQueue::finish(quint64 id, Ended& over) {
    fetch();
    drain(kUntilEmpty);
    if (over.result.hasBegun && !link_->isEndTold) {
        take(id, endOf(over.result.status, over.report));
    }
    link_->timer.stop();
    QueuedRun* run = book_.find(id);
    addNew(run->issues, issuesFromJson(memberIn(over.report, "issues")));
    if (over.result.hasBegun) {
        run->milliseconds = numberIn(over.report, "ms");
        run->executed = static_cast<int>(bytesIn(over.report, "executed"));
        keepFiles(*run, memberIn(over.report, "files"), PictureClaim::Named);
        run->report = std::move(over.report);
    }
    book_.end(id, stateOf(over.result.status));
    keepEnd(*book_.find(id), [this, id] { tellEnd(id); });
}

void RunQueue::tellEnd(quint64 id) {
    link_->active.reset();
    Q_EMIT listChanged();
    Q_EMIT runChanged(id);
    Q_EMIT ended(id);
    startNext();
}

/// What it wrote is kept as soon as a node says so: the run may not come to its end.
void RunQueue::keepFiles(QueuedRun& run, const Json& files, PictureClaim claim) {
    const qsizetype before = run.files.size();
    addFiles(run.files, files);
    if (library_ && run.files.size() > before) {
        library_->addPictures(library_->keyOf(run.id), run.files.mid(before), claim);
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
    library_->setOrder(waiting);
}

/// A run has ended for others when that is written.
void RunQueue::keepEnd(const QueuedRun& run, std::function<void()> done) {
    if (!library_) {
        if (done) {
            done();
        }
        return;
    }
    const auto* error = firstErrorIn(run.issues);
    library_->end({.key = library_->keyOf(run.id),
                   .state = run.state,
                   .milliseconds = run.milliseconds,
                   .peak = peakIn(run.report),
                   .executed = run.executed,
                   .problem = error ? QString::fromStdString(error->message) : QString()},
                  this,
                  std::move(done));
}

}  // namespace lowtide::ui
