#pragma once

#include "tests/bench/watched_program.hpp"

#include <vector>

namespace lowtide::testing {

/// The denoising steps of one repetition of a graph, or of a peer.
struct DenoiseSteps {
    double first = 0;             ///< seconds, with what the node begins with
    std::vector<double> later{};  ///< seconds

    /// Steps that begin and end at these moments.
    DenoiseSteps(double begin, const std::vector<double>& ends);
};

/// Of a run of `lowtide run --events`, by repetition; the node is called "denoise".
[[nodiscard]] std::vector<DenoiseSteps> ourSteps(const WatchedProgram& run);
/// Of a peer that prints a line "begin" and one "step" after each.
[[nodiscard]] DenoiseSteps peerSteps(const WatchedProgram& run);

}  // namespace lowtide::testing
