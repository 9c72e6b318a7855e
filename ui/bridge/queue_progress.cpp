#include "ui/bridge/queue_progress.hpp"

#include "ui/bridge/run_queue.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

/// The module's own figure is of a phase: the run takes at least that long.
std::optional<double> secondsLeftOf(const QueuedRun& run, double seconds, const WorkTimes& times) {
    const bool isPhaseKnown = run.secondsLeft && std::isfinite(*run.secondsLeft);
    const std::optional<double> whole = times.of(run);
    if (!whole) {
        return isPhaseKnown ? run.secondsLeft : std::nullopt;
    }
    return std::max({*whole - seconds, isPhaseKnown ? *run.secondsLeft : 0.0, 0.0});
}

}  // namespace

void WorkTimes::take(const QueuedRun& run) {
    constexpr double kMillisecondsPerSecond = 1000;
    constexpr size_t kMostWorks = 1000;  // each cell of a sheet may be one
    if (run.work != 0 && run.state == RunState::Finished && run.executed > 0) {
        if (measured_.size() >= kMostWorks) {
            measured_.clear();
        }
        measured_[run.work] = run.milliseconds / kMillisecondsPerSecond;
    }
}

std::optional<double> WorkTimes::of(const QueuedRun& run) const {
    const auto measured = measured_.find(run.work);
    return measured != measured_.end() ? std::optional(measured->second) : run.plannedSeconds;
}

WaitingRuns waitingRuns(const std::deque<QueuedRun>& runs, const WorkTimes& times) {
    WaitingRuns waiting;
    for (auto run = runs.rbegin(); run != runs.rend() && run->state == RunState::Waiting; ++run) {
        ++waiting.count;
        const std::optional<double> seconds = times.of(*run);
        waiting.seconds =
            waiting.seconds && seconds ? std::optional(*waiting.seconds + *seconds) : std::nullopt;
    }
    return waiting;
}

QueueProgress queueProgress(const QueuedRun* running,
                            double seconds,
                            int ended,
                            const WaitingRuns& waiting,
                            const WorkTimes& times) {
    if (!running) {
        return {.total = waiting.count, .secondsLeft = {}};
    }
    const std::optional<double> left = secondsLeftOf(*running, seconds, times);
    return {.number = ended + 1,
            .total = ended + 1 + waiting.count,
            .fraction = running->progress,
            .phase = running->phase,
            .secondsLeft =
                left && waiting.seconds ? std::optional(*left + *waiting.seconds) : std::nullopt};
}

}  // namespace lowtide::ui
