#include "cli/event_queue.hpp"

#include <algorithm>
#include <exception>

namespace lowtide::cli {

namespace {

/// Quotes inside of a JSON string have a backslash, so that no name can look like this.
constexpr std::string_view kMayBeMissed[] = {
    R"("event":"nodeProgress")", R"("event":"nodePreview")", R"("event":"memory")"};

bool mayBeMissed(std::string_view json) {
    return std::ranges::any_of(kMayBeMissed,
                               [&](std::string_view kind) { return json.find(kind) != json.npos; });
}

}  // namespace

void EventQueue::event(std::string_view json) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (events_.size() >= kMostWaiting && mayBeMissed(json)) {
            ++missed_;
            return;
        }
        try {
            events_.emplace_back(json);
        } catch (const std::exception&) {
            ++missed_;
        }
    }
    arrived_.notify_one();
}

size_t EventQueue::missedCount() const {
    const std::lock_guard lock(mutex_);
    return missed_;
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
