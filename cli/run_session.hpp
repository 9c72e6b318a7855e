#pragma once

#include "cli/start_module.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
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

/// Prints issues on standard error: errors always, others once, however many runs repeat them.
class PrintedIssues {
public:
    void print(const Json& issues);

private:
    std::set<std::string> printed_;
};

/// Runs a graph to its end and shows its events: as JSON lines on standard output, or on a progress
/// line. The result is the report, or the issues that refused the run. Warnings about the graph are
/// printed before. Ctrl-C (catchInterrupts) asks the run to stop now. Within a memory budget, of
/// the options or the graph, the process gives big blocks back from here on.
[[nodiscard]] Answer runToEnd(Runner& runner,
                              const std::string& graph,
                              const Json& options,
                              PrintedIssues& printed,
                              bool eventLines);

/// The entry of a node that ran in the last repetition of a report.
[[nodiscard]] const Json& nodeEntry(const Json& report, const std::string& node);

}  // namespace lowtide::cli
