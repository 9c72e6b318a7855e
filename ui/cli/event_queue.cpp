#include "ui/cli/event_queue.hpp"

namespace lowtide::cli {

void EventQueue::event(std::string_view json) noexcept {
    {
        const std::lock_guard lock(mutex_);
        events_.emplace_back(json);
    }
    arrived_.notify_one();
}

std::optional<std::string> EventQueue::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !events_.empty(); })) {
        return std::nullopt;
    }
    std::string text = std::move(events_.front());
    events_.pop_front();
    return text;
}

}  // namespace lowtide::cli
