#include "plugin/executor/run_queue.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/memory_relief.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/issues.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::executor {

namespace {

constexpr std::chrono::milliseconds kMemoryInterval(200);
/// An observer with more messages than this before it misses transient events, and images sooner.
constexpr size_t kFarBehind = 256;
constexpr size_t kFarBehindForImages = 16;

Bytes imageBytes(const Image8& image) {
    return static_cast<Bytes>(image.byteCount());
}

}  // namespace

Notifier::Notifier(memory::Ledger& ledger) : ledger_(ledger), thread_([this] { work(); }) {}

Notifier::~Notifier() {
    stop();
}

void Notifier::post(Observer& observer,
                    RunId run,
                    const Event& event,
                    std::function<void()> delivered) {
    Message message{.observer = &observer,
                    .run = run,
                    .text = toText(run, event),
                    .delivered = std::move(delivered)};
    const std::lock_guard lock(mutex_);
    if (isPassing(event) && queue_.size() >= kFarBehind) {
        return;
    }
    if (std::holds_alternative<RunFinished>(event) && live_ && live_->run == run) {
        live_.reset();
    }
    push(std::move(message));
}

void Notifier::post(Observer& observer, RunId run, const NodePreview& event, const Image8& image) {
    Message message{.observer = &observer,
                    .run = run,
                    .text = toText(run, event),
                    .node = event.node,
                    .image = image,
                    .isOfStep = event.step.has_value()};
    const std::lock_guard lock(mutex_);
    const bool isFarBehind = queue_.size() >= kFarBehindForImages;
    if (message.isOfStep) {
        if (isFarBehind || hasStepOnWay_) {
            return;
        }
        hasStepOnWay_ = true;
        ledger_.add(kHostDevice, memory::Tag::Staging, event.node, imageBytes(image));
    } else if (isFarBehind) {
        message.image.reset();  // the result itself is reported in any case
    }
    push(std::move(message));
}

void Notifier::push(Message message) {
    queue_.push_back(std::move(message));
    changed_.notify_one();
}

void Notifier::beginMemory(Observer& observer, RunId run, std::string device) {
    const std::lock_guard lock(mutex_);
    live_ = {&observer, run, std::move(device), Clock::now()};
    changed_.notify_one();
}

bool Notifier::isOwnThread() const {
    return std::this_thread::get_id() == thread_.get_id();
}

void Notifier::stop() {
    if (isOwnThread()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Notifier::work() {
    while (const std::optional<Message> message = next()) {
        deliver(*message);
        if (message->delivered) {
            message->delivered();
        }
    }
}

void Notifier::deliver(const Message& message) {
    message.observer->event(message.text);
    if (!message.image) {
        return;
    }
    message.observer->preview(message.run, message.node, *message.image);
    if (message.isOfStep) {
        const std::lock_guard lock(mutex_);
        hasStepOnWay_ = false;
        ledger_.add(kHostDevice, memory::Tag::Staging, message.node, -imageBytes(*message.image));
    }
}

/// The next message, or a memory event when one is due; nothing at the end.
std::optional<Notifier::Message> Notifier::next() {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (live_ && Clock::now() >= live_->next) {
            live_->next = Clock::now() + kMemoryInterval;
            // Behind what is queued: runStarted remains the first event of a run.
            queue_.push_back(
                {.observer = live_->observer,
                 .run = live_->run,
                 .text = toText(live_->run, MemoryUse{live_->device, ledger_.snapshot()})});
        }
        if (!queue_.empty()) {
            Message message = std::move(queue_.front());
            queue_.pop_front();
            return message;
        }
        if (stopping_) {
            return std::nullopt;
        }
        if (live_) {
            changed_.wait_until(lock, live_->next);
        } else {
            changed_.wait(lock);
        }
    }
}

namespace {

/// Results of finished runs that wait() still knows.
constexpr size_t kKeptResults = 256;

/// Where the run computes unless a node states otherwise.
memory::DeviceSpec deviceOf(const RunRequest& request) {
    return request.options.device.value_or(request.snapshot->device.value_or(memory::DeviceSpec{}));
}

RunResult resultOf(const RunReport& report, RunHooks& hooks) {
    RunResult result{report.status, report.issues, {}};
    // A report that cannot be written, or what a hook adds to it, costs nothing but itself.
    static_cast<void>(attempt("", [&] {
        result.report = toJson(report);
        hooks.addToReport(result.report);
    }));
    return result;
}

/// What is left of a report that was given away.
Json shortReport(RunId run, const RunResult& result) {
    return {
        {"run", run}, {"status", nameOf(result.status)}, {"issues", graph::toJson(result.issues)}};
}

}  // namespace

struct RunQueue::Entry {
    RunId id = 0;
    RunRequest request;
    StopSource stop;
    RunResult result;  ///< its report null once it was given away
    bool done = false;
    bool delivered = false;

    RunHooks none;  ///< for a request without hooks

    [[nodiscard]] RunHooks& hooks() { return request.hooks ? *request.hooks : none; }
};

/// Sends a run's events to its observer.
class RunQueue::Sink final : public EventSink {
public:
    Sink(RunQueue& queue, std::shared_ptr<Entry> entry) : queue_(queue), entry_(std::move(entry)) {}

    void event(const Event& event) noexcept override {
        std::function<void()> delivered;
        if (std::holds_alternative<RunFinished>(event)) {
            delivered = [&queue = queue_, entry = entry_] { queue.markDelivered(entry); };
        }
        queue_.notifier_.post(*entry_->request.observer, entry_->id, event, std::move(delivered));
        if (std::holds_alternative<RunStarted>(event)) {
            queue_.notifier_.beginMemory(
                *entry_->request.observer, entry_->id, deviceOf(entry_->request).id());
        }
    }

    void preview(const NodePreview& event, const Image8& image) noexcept override {
        queue_.notifier_.post(*entry_->request.observer, entry_->id, event, image);
    }

private:
    RunQueue& queue_;
    std::shared_ptr<Entry> entry_;
};

RunQueue::RunQueue(const NodeTypes& types, memory::Engine& engine, RunQueueSettings settings)
    : types_(types),
      engine_(engine),
      cache_(engine.ledger(), settings.cacheLimit),
      disk_(std::move(settings.keepFolder), std::move(settings.codecs)),
      notifier_(engine.ledger()),
      threadSetUp_(std::move(settings.threadSetUp)),
      unpinAfter_(settings.unpinAfter),
      thread_([this] { work(); }) {}

RunQueue::~RunQueue() {
    stop();
}

RunId RunQueue::start(RunRequest request) {
    if (!request.snapshot || !request.observer || request.options.repeat < 1) {
        throw Error(ErrorKind::InvalidInput,
                    message("a run needs a graph, an observer and at least one repetition"));
    }
    const std::lock_guard lock(mutex_);
    if (stopping_) {
        throw Error(ErrorKind::InvalidInput,
                    message("the runner was stopped and starts no more runs"));
    }
    auto entry = std::make_shared<Entry>();
    entry->id = ++lastId_;
    entry->request = std::move(request);
    entries_[entry->id] = entry;
    queue_.push_back(entry);
    changed_.notify_all();
    return entry->id;
}

bool RunQueue::cancel(RunId run, CancelMode mode) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(run);
    if (found == entries_.end() || found->second->done) {
        return false;
    }
    const std::shared_ptr<Entry> entry = found->second;
    entry->stop.cancel(mode);
    const auto queued = std::find(queue_.begin(), queue_.end(), entry);
    if (mode != CancelMode::No && queued != queue_.end()) {
        queue_.erase(queued);
        conclude(*entry, endWithout(entry, Status::Cancelled, {}));
    }
    return true;
}

RunResult RunQueue::wait(RunId run) {
    std::unique_lock lock(mutex_);
    const auto found = entries_.find(run);
    if (found == entries_.end()) {
        throw Error(ErrorKind::NotFound, message("there is no run {}, or it is long over", run));
    }
    const std::shared_ptr<Entry> entry = found->second;
    const bool fromObserver = notifier_.isOwnThread();
    changed_.wait(lock, [&] { return entry->done && (entry->delivered || fromObserver); });
    RunResult result{entry->result.status, entry->result.issues, {}};
    result.report = entry->result.report.is_null() ? shortReport(run, entry->result)
                                                   : std::exchange(entry->result.report, Json());
    return result;
}

bool RunQueue::tryCall(const std::function<void()>& action) {
    std::unique_lock lock(mutex_);
    if (stopping_) {
        throw Error(ErrorKind::InvalidInput,
                    message("the runner was stopped and answers no more calls"));
    }
    if (running_ || !queue_.empty() || call_) {
        return false;
    }
    Call call{.action = action, .failure = nullptr};
    call_ = &call;
    changed_.notify_all();
    changed_.wait(lock, [&] { return call.isDone; });
    if (call.failure) {
        std::rethrow_exception(call.failure);
    }
    return true;
}

void RunQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        for (const std::shared_ptr<Entry>& entry : std::exchange(queue_, {})) {
            conclude(*entry, endWithout(entry, Status::Cancelled, {}));
        }
        if (running_) {
            running_->stop.cancel(CancelMode::Now);
        }
        changed_.notify_all();
    }
    {
        const std::lock_guard lock(joinMutex_);
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    if (notifier_.isOwnThread()) {
        return;  // an observer cannot wait for itself
    }
    const std::lock_guard lock(notifierMutex_);
    notifier_.stop();
}

void RunQueue::work() {
    setUpIssue_ = attempt("", [&] {
        if (threadSetUp_) {
            threadSetUp_();
        }
    });
    std::unique_lock lock(mutex_);
    for (;;) {
        awaitWork(lock);
        if (call_) {
            callPending(lock);
        } else if (!queue_.empty()) {
            runNext(lock);
        } else {
            return;
        }
    }
}

/// A guest does not keep memory from its host that it may not need again.
void RunQueue::awaitWork(std::unique_lock<std::mutex>& lock) {
    const auto hasWork = [&] { return stopping_ || call_ || !queue_.empty(); };
    if (changed_.wait_for(lock, unpinAfter_, hasWork)) {
        return;
    }
    lock.unlock();
    static_cast<void>(attempt("", [&] { static_cast<void>(unpinIdle(engine_)); }));
    lock.lock();
    changed_.wait(lock, hasWork);
}

void RunQueue::callPending(std::unique_lock<std::mutex>& lock) {
    Call& call = *call_;
    lock.unlock();
    try {
        call.action();
    } catch (...) {
        call.failure = std::current_exception();
    }
    lock.lock();
    call.isDone = true;
    call_ = nullptr;
    changed_.notify_all();
}

void RunQueue::runNext(std::unique_lock<std::mutex>& lock) {
    running_ = queue_.front();
    queue_.pop_front();
    const std::shared_ptr<Entry> entry = running_;
    lock.unlock();
    RunResult result =
        setUpIssue_ ? endWithout(entry, Status::Failed, {*setUpIssue_}) : evaluateEntry(entry);
    lock.lock();
    running_.reset();
    conclude(*entry, std::move(result));
}

RunResult RunQueue::evaluateEntry(const std::shared_ptr<Entry>& entry) {
    const RunRequest& request = entry->request;
    Sink sink(*this, entry);
    return resultOf(evaluate(entry->id,
                             *request.snapshot,
                             request.options,
                             entry->stop.token(),
                             entry->hooks(),
                             sink,
                             {types_, engine_, cache_, disk_, collections_, paces_, dryRuns_}),
                    entry->hooks());
}

/// The result of a run of which nothing was evaluated; its observer hears only the end.
RunResult RunQueue::endWithout(const std::shared_ptr<Entry>& entry, Status status, Issues issues) {
    RunReport report;
    report.run = entry->id;
    report.status = status;
    report.issues = issues;
    Sink(*this, entry).event(RunFinished{status, 0, 0, std::move(issues)});
    return resultOf(report, entry->hooks());
}

void RunQueue::conclude(Entry& entry, RunResult result) {
    entry.result = std::move(result);
    entry.request.snapshot.reset();
    entry.request.hooks.reset();
    entry.done = true;
    forgetOldReports();
    forgetOldest();
    changed_.notify_all();
}

void RunQueue::markDelivered(const std::shared_ptr<Entry>& entry) {
    const std::lock_guard lock(mutex_);
    entry->delivered = true;
    changed_.notify_all();
}

void RunQueue::forgetOldReports() {
    size_t kept = 0;
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
        Json& report = entry->second->result.report;
        if (!report.is_null() && ++kept > kKeptReports) {
            report = nullptr;
        }
    }
}

void RunQueue::forgetOldest() {
    for (auto entry = entries_.begin();
         entries_.size() > kKeptResults && entry != entries_.end();) {
        entry = entry->second->done && entry->second->delivered ? entries_.erase(entry)
                                                                : std::next(entry);
    }
}

}  // namespace lowtide::executor
