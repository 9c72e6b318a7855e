#pragma once

#include "tests/bench/step_clock.hpp"
#include "tests/bench/watched_program.hpp"

#include <vector>

namespace lowtide::testing {

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
