#pragma once

#include "plugin/base/json_fwd.hpp"
#include "tests/bench/watched_program.hpp"

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

/// The denoising steps of one repetition of a graph, or of a peer.
struct DenoiseSteps {
    Spent first{};  ///< with what the node begins with
    std::vector<Spent> later{};

    /// Steps that end with these lines, the first of which began with `begin`.
    DenoiseSteps(const TimedLine& begin, const std::vector<TimedLine>& ends);
};

/// Of a run of `lowtide run --events`, by repetition; the node is called "denoise".
[[nodiscard]] std::vector<DenoiseSteps> ourSteps(const WatchedProgram& run);
/// Of a peer that prints a line "begin" and one "step" after each.
[[nodiscard]] DenoiseSteps peerSteps(const WatchedProgram& run);

}  // namespace lowtide::testing
