#include "plugin/residency/copy_lane.hpp"

#include <utility>

namespace lowtide::residency {

namespace {

Seconds secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

/// Counts the time until its end as waited.
class CopyLane::Waiting {
public:
    explicit Waiting(CopyLane& lane) : lane_(lane) {}

    ~Waiting() {
        const std::lock_guard lock(lane_.mutex_);
        lane_.times_.wait += secondsSince(begin_);
    }

    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    CopyLane& lane_;
    Clock::time_point begin_ = Clock::now();
};

void LaneEvent::wait() const {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return isComplete_; });
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void LaneEvent::waitQuietly() const noexcept {
    std::unique_lock lock(mutex_);
    reached_.wait(lock, [this] { return isComplete_; });
}

bool LaneEvent::isComplete() const noexcept {
    const std::lock_guard lock(mutex_);
    return isComplete_;
}

void LaneEvent::complete(std::exception_ptr failure) noexcept {
    {
        const std::lock_guard lock(mutex_);
        isComplete_ = true;
        failure_ = std::move(failure);
    }
    reached_.notify_all();
}

CopyLane::CopyLane() : thread_([this] { run(); }) {}

CopyLane::~CopyLane() {
    {
        const std::lock_guard lock(mutex_);
        isStopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void CopyLane::enqueue(std::function<void()> job) {
    push({.job = std::move(job)});
}

void CopyLane::copy(std::function<void()> job) {
    push({.job = std::move(job), .isCopy = true});
}

void CopyLane::mark(std::shared_ptr<LaneEvent> event) {
    push({.event = std::move(event)});
}

void CopyLane::waitFor(std::shared_ptr<const LaneEvent> event) {
    enqueue([event = std::move(event)] { event->waitQuietly(); });
}

void CopyLane::await(const LaneEvent& event) {
    const Waiting waiting(*this);
    event.wait();
}

void CopyLane::drain() noexcept {
    const Waiting waiting(*this);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.empty() && !isBusy_; });
    failure_ = nullptr;
}

memory::LaneTimes CopyLane::times() const {
    const std::lock_guard lock(mutex_);
    memory::LaneTimes times = times_;
    times.copy += copyBegan_ ? secondsSince(*copyBegan_) : 0;
    return times;
}

void CopyLane::push(Item item) {
    {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
    }
    changed_.notify_all();
}

void CopyLane::run() noexcept {
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
        item = {};  // what the job captured dies before the lane is seen as idle
        lock.lock();
        isBusy_ = false;
        times_.copy += copyBegan_ ? secondsSince(*copyBegan_) : 0;
        copyBegan_.reset();
        changed_.notify_all();
    }
}

void CopyLane::runItem(Item& item) noexcept {
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
