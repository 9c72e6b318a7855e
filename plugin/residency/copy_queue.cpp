#include "plugin/residency/copy_queue.hpp"

#include <utility>

namespace lowtide::residency {

namespace {

Seconds secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

/// Counts the time until its end as waited.
class CopyQueue::Waiting {
public:
    explicit Waiting(CopyQueue& queue) : queue_(queue) {}

    ~Waiting() {
        const std::lock_guard lock(queue_.mutex_);
        queue_.times_.wait += secondsSince(begin_);
    }

    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    CopyQueue& queue_;
    Clock::time_point begin_ = Clock::now();
};

void QueueEvent::wait() const {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return isComplete_; });
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void QueueEvent::waitQuietly() const noexcept {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return isComplete_; });
}

bool QueueEvent::isComplete() const noexcept {
    const std::lock_guard lock(mutex_);
    return isComplete_;
}

void QueueEvent::complete(std::exception_ptr failure) noexcept {
    {
        const std::lock_guard lock(mutex_);
        isComplete_ = true;
        failure_ = std::move(failure);
    }
    reached_.notify_all();
}

CopyQueue::CopyQueue() : thread_([this] { run(); }) {}

CopyQueue::~CopyQueue() {
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void CopyQueue::enqueue(std::function<void()> job) {
    push({.job = std::move(job)});
}

void CopyQueue::copy(std::function<void()> job) {
    push({.job = std::move(job), .isCopy = true});
}

void CopyQueue::mark(std::shared_ptr<QueueEvent> event) {
    push({.event = std::move(event)});
}

void CopyQueue::waitFor(std::shared_ptr<const QueueEvent> event) {
    enqueue([event = std::move(event)] { event->waitQuietly(); });
}

void CopyQueue::await(const QueueEvent& event) {
    const Waiting waiting(*this);
    event.wait();
}

void CopyQueue::drain() noexcept {
    const Waiting waiting(*this);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.empty() && !isBusy_; });
    failure_ = nullptr;
}

memory::CopyTimes CopyQueue::times() const {
    const std::lock_guard lock(mutex_);
    memory::CopyTimes times = times_;
    times.copy += copyBegan_ ? secondsSince(*copyBegan_) : 0;
    return times;
}

void CopyQueue::push(Item item) {
    {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
    }
    changed_.notify_all();
}

void CopyQueue::run() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return isStopping_ || !items_.empty(); });
        if (items_.empty()) {
            return;
        }
        Item item = std::move(items_.front());
        items_.pop_front();
        isBusy_ = true;
        const bool isSkipped = item.job && (failure_ || isStopping_);
        if (item.isCopy && !isSkipped) {
            copyBegan_ = Clock::now();
        }
        lock.unlock();
        if (!isSkipped) {
            runItem(item);
        }
        item = {};  // what the job captured dies before the queue counts as idle
        lock.lock();
        isBusy_ = false;
        times_.copy += copyBegan_ ? secondsSince(*copyBegan_) : 0;
        copyBegan_.reset();
        changed_.notify_all();
    }
}

void CopyQueue::runItem(Item& item) noexcept {
    if (item.event) {
        std::unique_lock lock(mutex_);
        std::exception_ptr failure = failure_;
        lock.unlock();
        item.event->complete(std::move(failure));
        return;
    }
    try {
        item.job();
    } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
    }
}

}  // namespace lowtide::residency
