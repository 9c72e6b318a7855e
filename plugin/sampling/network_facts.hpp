#pragma once

// What a model states of its networks for a pass over them. Torch-free.

#include <cstdint>

namespace lowtide::sampling {

/// How the network of a model follows a negative prompt.
enum class Guidance : uint8_t {
    Batched,     ///< in one call with both prompts, [uncond, cond]
    Sequential,  ///< in a call for each prompt, the positive one first: StepInfo::slot states whose
    Embedded     ///< in none: the scale is an input of the network, which was distilled for it
};

/// A network that takes the place of the first one where there is less noise.
struct LowNoiseModel {
    double boundary = 0;  ///< calls whose timesteps lie below it are its
    double guidanceScale = 1;

    [[nodiscard]] bool takes(double timestep) const { return timestep < boundary; }
};

/// Where step caches may cut a network; its family states it.
struct CachePoints {
    /// A partial call may compute from depth 0 (least) to this one; below 0: it cannot be cut.
    int deepest = -1;
    /// The depth whose cut lies behind the network's first block; below 0: it has none.
    int firstBlock = -1;
};

}  // namespace lowtide::sampling
