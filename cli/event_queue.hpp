#pragma once

#include "plugin/host_api/runner.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace lowtide::cli {

/// Takes events from the module's thread and hands them to the main thread. Where that is slower,
/// those that report what the next one reports again (progress, memory) are left out.
class EventQueue final : public Observer {
public:
    static constexpr size_t kMostWaiting = 4096;

    void event(std::string_view json) noexcept override;

    void preview(RunId, std::string_view, const Image8&) noexcept override {}

    /// The next event, or nothing after `patience`.
    [[nodiscard]] std::optional<std::string> next(std::chrono::milliseconds patience);

    /// How many were left out until now.
    [[nodiscard]] size_t missedCount() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::string> events_;
    size_t missed_ = 0;
};

}  // namespace lowtide::cli
