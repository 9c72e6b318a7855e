#pragma once

#include "plugin/residency/device/device.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace lowtide::residency {

/// A point in a queue's order. Completed once, with the first failure of the jobs before it.
class QueueEvent : public Event {
public:
    /// Blocks until the point is reached; rethrows the failure that it was completed with.
    void wait() const;
    /// As wait(), but failures are left where they are.
    void waitQuietly() const noexcept;
    [[nodiscard]] bool isComplete() const noexcept;
    void complete(std::exception_ptr failure) noexcept;

private:
    mutable std::mutex mutex_;
    mutable std::condition_variable reached_;
    bool isComplete_ = false;
    std::exception_ptr failure_;
};

/// One thread that runs jobs in the order in which they were enqueued. The first exception of a job
/// is kept: later jobs are skipped and events behind it carry it, until drain() starts again.
class CopyQueue {
public:
    CopyQueue();
    /// Jobs that have not begun are dropped; events are completed.
    ~CopyQueue();
    CopyQueue(const CopyQueue&) = delete;
    CopyQueue& operator=(const CopyQueue&) = delete;

    void enqueue(std::function<void()> job);
    /// As enqueue(); the job's time counts as work.
    void copy(std::function<void()> job);
    /// Completes `event` when everything enqueued before has run or was skipped.
    void mark(std::shared_ptr<QueueEvent> event);
    /// Jobs enqueued later begin after `event`.
    void waitFor(std::shared_ptr<const QueueEvent> event);
    /// Blocks the calling thread as the event's wait() does; the time counts as waited.
    void await(const QueueEvent& event);
    /// Blocks until the queue is idle, then forgets the failure; the time counts as waited.
    void drain() noexcept;
    /// Since the queue was made.
    [[nodiscard]] memory::CopyTimes times() const;

private:
    using Clock = std::chrono::steady_clock;

    /// Either a job or an event to be completed.
    struct Item {
        std::function<void()> job;
        std::shared_ptr<QueueEvent> event;
        bool isCopy = false;
    };

    class Waiting;

    void push(Item item);
    void run() noexcept;
    void runItem(Item& item) noexcept;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> items_;
    bool isBusy_ = false;
    bool isStopping_ = false;
    std::exception_ptr failure_;
    memory::CopyTimes times_;
    std::optional<Clock::time_point> copyBegan_;  ///< while a copy is going on
    std::thread thread_;
};

}  // namespace lowtide::residency
