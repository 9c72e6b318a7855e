#pragma once

#include "service/followed_run.hpp"
#include "service/run_store.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lowtide::service {

/// Who hears of runs. Called from the thread of the queue or of a request, without a lock held;
/// must not wait.
class RunListener {
public:
    virtual ~RunListener() = default;
    /// So many wait or run.
    virtual void queueChanged(size_t remaining) = 0;
    virtual void started(const StoredRun& run) = 0;
    /// An event of docs/events.md, whose "run" is the id of the run; "number" is that of events().
    virtual void event(const StoredRun& run, const Json& event) = 0;
    /// The image that the last nodePreview event of the node was about.
    virtual void image(const StoredRun& run, const Json& nodePreview, const Image8& image) = 0;
    /// It is over; what it adds to `result` is kept with the run.
    virtual void ended(const StoredRun& run, Json& result) = 0;
    /// RunQueue::find gives the ended run now.
    virtual void settled(const StoredRun& run) = 0;
};

/// What is asked to be run.
struct AskedRun {
    std::string graph;
    Json options;
    Json asked{};                    ///< as StoredRun
    std::string id{};                ///< empty: a new one
    bool isFirst = false;            ///< in front of those that wait
    std::optional<double> number{};  ///< the position among those that wait; nothing: behind them
};

/// Runs of all clients, in order, one at a time: the module has one thread for them.
class RunQueue {
public:
    static constexpr size_t kMostWaiting = 1000;
    static constexpr size_t kMostEvents = 20000;  ///< that are kept of a run
    static constexpr size_t kMostReports = 16;    ///< runs whose events and reports are kept

    RunQueue(Runner& runner, std::unique_ptr<RunStore> store);
    /// As stop().
    ~RunQueue();
    RunQueue(const RunQueue&) = delete;
    RunQueue& operator=(const RunQueue&) = delete;

    /// Before the first run; it must outlive the queue.
    void listen(RunListener& listener) { listeners_.push_back(&listener); }

    /// Error{InvalidInput}: the id is taken, or too many wait.
    StoredRun add(AskedRun asked);
    /// A waiting run ends at once. False: there is no such run that waits or runs.
    bool cancel(const std::string& id, CancelMode mode);
    /// A run that waits or has ended goes without a trace. False: there is none.
    bool remove(const std::string& id);
    [[nodiscard]] std::optional<StoredRun> find(const std::string& id) const;
    /// Ended ones, the running one, waiting ones.
    [[nodiscard]] std::vector<StoredRun> list() const;
    /// How many wait or run.
    [[nodiscard]] size_t remaining() const;
    [[nodiscard]] std::optional<StoredRun> running() const;
    /// Its events from number `first` on, without those that may be missed; the newest runs alone.
    [[nodiscard]] std::vector<Json> events(const std::string& id, size_t first) const;
    /// Null: it has none, or it is kept no longer.
    [[nodiscard]] Json report(const std::string& id) const;
    /// Cancels what runs and takes no more.
    void stop();

private:
    struct Record {
        std::string id;
        std::vector<Json> events;
        Json report;
    };
    class Follower;

    void work();
    void runOne(StoredRun run);
    void finish(StoredRun run, Answer answer);
    /// Numbers it, too.
    void keepEvent(const std::string& id, Json& event);
    void reportRemaining();
    /// Each listener, also where one fails.
    void notify(const std::function<void(RunListener&)>& call) const;

    Runner& runner_;
    std::vector<RunListener*> listeners_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    const std::unique_ptr<RunStore> store_;
    std::deque<Record> records_;
    std::string running_;
    std::atomic<CancelMode> cancel_ = CancelMode::No;  ///< of the running one
    double lastNumber_ = 0;
    bool isStopping_ = false;
    std::thread thread_;
};

/// "a3f2...": a random id in the form of a UUID.
[[nodiscard]] std::string newRunId();
/// Milliseconds since 1970.
[[nodiscard]] int64_t nowMilliseconds();

}  // namespace lowtide::service
