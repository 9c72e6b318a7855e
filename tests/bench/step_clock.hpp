#pragma once

#include "plugin/base/json_fwd.hpp"

#include <vector>

namespace lowtide::testing {

/// Times of one thing or another.
struct Spent {
    double cpuSeconds = 0;  ///< of all threads
    double seconds = 0;     ///< by the clock
};

[[nodiscard]] std::vector<double> cpuSecondsOf(const std::vector<Spent>& all);
[[nodiscard]] std::vector<double> clockSecondsOf(const std::vector<Spent>& all);

/// What the denoiser of one run took.
struct TimedRun {
    std::vector<Spent> steps;  ///< the first one with what the node begins with
    Spent whole;               ///< from the node's begin to its end
};

/// Makes a TimedRun of a run's events: of this process, each shown when it arrives. The node is
/// called "denoise".
class StepClock {
public:
    void see(const Json& event);

    [[nodiscard]] const TimedRun& run() const { return run_; }

private:
    TimedRun run_;
    Spent begin_;
    Spent last_;
};

}  // namespace lowtide::testing
