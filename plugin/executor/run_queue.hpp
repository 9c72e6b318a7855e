#pragma once
// The run thread, which evaluates runs one after the other, and the thread that calls their
// observers.

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/executor/events.hpp"
#include "plugin/executor/run.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/memory/ledger.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace lowtide::executor {

/// Calls observers from a thread of its own, in the order of the events and without a lock held, so
/// a slow observer delays nobody's run and may call back. While a run is live, reports the ledger
/// five times a second.
class Notifier {
public:
    explicit Notifier(memory::Ledger& ledger);
    /// As stop().
    ~Notifier();
    Notifier(const Notifier&) = delete;
    Notifier& operator=(const Notifier&) = delete;

    /// Transient events are left out while the observer is far behind. `delivered` is called after
    /// the observer.
    void post(Observer& observer,
              RunId run,
              const Event& event,
              std::function<void()> delivered = {});
    /// The event, then its image; that is left out while the observer is behind. Of images of
    /// steps one is on its way at a time, others are left out with their events: its bytes stand in
    /// the ledger until the observer has had it.
    void post(Observer& observer, RunId run, const NodePreview& event, const Image8& image);
    /// Memory events of `run` until its RunFinished is posted.
    void beginMemory(Observer& observer, RunId run, std::string device);
    [[nodiscard]] bool isOwnThread() const;
    /// Delivers what is queued, then joins. Does nothing on its own thread.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    struct Message {
        Observer* observer = nullptr;
        RunId run = 0;
        std::string text;  ///< of an event
        std::string node;  ///< of an image, which goes behind it
        std::optional<Image8> image;
        bool isOfStep = false;  ///< the image
        std::function<void()> delivered;
    };

    struct Live {
        Observer* observer = nullptr;
        RunId run = 0;
        std::string device;
        Clock::time_point next;
    };

    void work();
    std::optional<Message> next();
    void push(Message message);
    void deliver(const Message& message);

    memory::Ledger& ledger_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Message> queue_;
    std::optional<Live> live_;
    bool stopping_ = false;
    bool hasStepOnWay_ = false;  ///< an image of a step
    std::thread thread_;         ///< last: starts when the rest stands
};

/// A run that is asked for. `observer` must live until runFinished has arrived.
struct RunRequest {
    std::shared_ptr<const graph::Snapshot> snapshot;
    RunOptions options;
    Observer* observer = nullptr;
    std::shared_ptr<RunHooks> hooks;  ///< may be null
};

struct RunResult {
    Status status = Status::Ok;
    Issues issues;
    /// docs/events.md, "The report"; of a run whose report was given away only "run", "status" and
    /// "issues".
    Json report;
};

struct RunQueueSettings {
    std::function<void()>
        threadSetUp;  ///< called once on the run thread, before the first run; may be empty
    Bytes cacheLimit = ResultCache::kDefaultLimit;
    std::string keepFolder;      ///< for values that are kept on disk; empty: none can be
    memory::ValueCodecs codecs;  ///< of the values that can be
    /// Without a run for so long, what is pinned for the next one is given back to the system.
    std::chrono::milliseconds unpinAfter = std::chrono::minutes(10);
};

/// The run thread: evaluates runs one after the other in the order in which they were started, from
/// any thread. Observers are called from another thread and may call start() and cancel().
class RunQueue {
public:
    /// Reports of runs for which nobody waits.
    static constexpr size_t kKeptReports = 16;

    /// `types` and `engine` must outlive the queue.
    RunQueue(const NodeTypes& types, memory::Engine& engine, RunQueueSettings settings);
    /// As stop().
    ~RunQueue();
    RunQueue(const RunQueue&) = delete;
    RunQueue& operator=(const RunQueue&) = delete;

    /// Error{InvalidInput} when the request lacks its snapshot or observer, repeats less than once,
    /// or after stop().
    [[nodiscard]] RunId start(RunRequest request);
    /// A queued run ends at once, a running one at its next poll. False when the run is over or
    /// unknown.
    bool cancel(RunId run, CancelMode mode);
    /// Blocks until the run is over and its observer has seen runFinished (on the observer's
    /// thread: until it is over). The first call is given the report, which is not kept; so are the
    /// reports of the kKeptReports last runs that nobody waited for. Error{NotFound} for an unknown
    /// run, or one that is long over.
    [[nodiscard]] RunResult wait(RunId run);
    /// Executes `action` on the run thread and waits, when no run is queued or running; else false.
    /// Throws what `action` throws, and Error{InvalidInput} after stop().
    bool tryCall(const std::function<void()>& action);

    [[nodiscard]] ResultCache& cache() { return cache_; }

    /// For plans that are made in tryCall().
    [[nodiscard]] PlanBasis planBasis() { return {engine_, cache_, paces_, dryRuns_}; }

    /// Cancels every run and joins. From an observer: all but the observers' own thread, which the
    /// destructor joins.
    void stop();

private:
    struct Entry;
    class Sink;

    /// One tryCall(): each caller waits for its own.
    struct Call {
        const std::function<void()>& action;
        std::exception_ptr failure;
        bool isDone = false;
    };

    void work();
    void runNext(std::unique_lock<std::mutex>& lock);
    void callPending(std::unique_lock<std::mutex>& lock);
    void awaitWork(std::unique_lock<std::mutex>& lock);
    RunResult evaluateEntry(const std::shared_ptr<Entry>& entry);
    RunResult endWithout(const std::shared_ptr<Entry>& entry, Status status, Issues issues);
    void conclude(Entry& entry, RunResult result);
    void markDelivered(const std::shared_ptr<Entry>& entry);
    void forgetOldReports();
    void forgetOldest();

    const NodeTypes& types_;
    memory::Engine& engine_;
    ResultCache cache_;
    DiskCache disk_;
    CollectionHistory collections_;  ///< run thread only
    WorkPaces paces_;                ///< run thread only
    DryRunCache dryRuns_;            ///< run thread only
    Notifier notifier_;
    std::function<void()> threadSetUp_;
    const std::chrono::milliseconds unpinAfter_;
    std::optional<Issue> setUpIssue_;  ///< run thread only

    std::mutex mutex_;
    std::condition_variable changed_;
    RunId lastId_ = 0;
    std::deque<std::shared_ptr<Entry>> queue_;
    std::shared_ptr<Entry> running_;
    std::map<RunId, std::shared_ptr<Entry>> entries_;
    Call* call_ = nullptr;
    bool stopping_ = false;
    std::mutex joinMutex_;      ///< of thread_
    std::mutex notifierMutex_;  ///< of stopping it
    std::thread thread_;        ///< last: starts when the rest stands
};

}  // namespace lowtide::executor
