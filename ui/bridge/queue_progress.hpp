#pragma once

#include <QString>

#include <cstddef>
#include <deque>
#include <map>
#include <optional>

namespace lowtide::ui {

struct QueuedRun;

/// How long runs take: as the newest one of the same work did, else as it was planned.
class WorkTimes {
public:
    /// A run that has ended. One that was not finished, or found all results kept, does not count.
    void take(const QueuedRun& run);
    /// Seconds; empty: nobody knows.
    [[nodiscard]] std::optional<double> of(const QueuedRun& run) const;

private:
    std::map<size_t, double> measured_;  ///< by QueuedRun::work
};

/// The runs that wait, together.
struct WaitingRuns {
    int count = 0;
    std::optional<double> seconds = 0;  ///< empty: that of one of them is not known
};

[[nodiscard]] WaitingRuns waitingRuns(const std::deque<QueuedRun>& runs, const WorkTimes& times);

/// How far a queue is.
struct QueueProgress {
    int number = 0;  ///< of the run at work, from 1, since nothing was left to do; 0: none is
    int total = 0;   ///< all since then that were not taken back; where none is, those that wait
    double fraction = 0;                ///< of the run at work that is done
    QString phase{};                    ///< of its node at work: "step 3 of 20"
    std::optional<double> secondsLeft;  ///< until none waits; empty: not known
};

/// `running`: nullptr where none is at work, else it began so many seconds ago; `ended`: runs since
/// nothing was left to do.
[[nodiscard]] QueueProgress queueProgress(const QueuedRun* running,
                                          double seconds,
                                          int ended,
                                          const WaitingRuns& waiting,
                                          const WorkTimes& times);

}  // namespace lowtide::ui
