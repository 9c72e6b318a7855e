#pragma once

#include <compare>
#include <cstdint>

namespace lowtide::sampling {

class CacheScope;

/// What one call of the network does: all of it, what a step cache leaves to compute, or nothing
/// because the result is forecast.
enum class StepWork : uint8_t { Full, Partial, Predict };

/// What was decided for one call, before it.
struct StepDecision {
    StepWork work = StepWork::Full;
    StepWork next = StepWork::Full;  ///< of the call after it, as far as it is known: a hint
    bool isOpen = false;             ///< Partial only if a gate inside the network agrees
    CacheScope* cache = nullptr;     ///< the run's; null: nothing is cached inside the network
};

/// Which of several evaluations in one call a network does: each has values of its own in a cache
/// session.
struct CacheSlot {
    uint32_t branch = 0;  ///< prompts that are evaluated apart from others

    auto operator<=>(const CacheSlot&) const = default;
};

/// Which part of the schedule a call belongs to; made by the loop, never counted by the network.
struct StepInfo {
    int step = 0;         ///< index into the schedule's timesteps
    int stepCount = 0;    ///< how many they are
    int solverStage = 0;  ///< inside one step of a sampler with several calls
    int taken = 0;        ///< calls of this run before it
    CacheSlot slot{};
    StepDecision decision{};
};

}  // namespace lowtide::sampling
