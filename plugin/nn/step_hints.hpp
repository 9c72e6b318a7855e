#pragma once

#include "plugin/memory/access_pattern.hpp"
#include "plugin/sampling/step_info.hpp"

namespace lowtide::models {

/// The access patterns of a network with a step cache: a full step's and a partial step's.
inline constexpr uint32_t kFullPattern = 0;
inline constexpr uint32_t kPartialPattern = 1;

/// What an evaluation of `step` that was granted `work` tells residency.
[[nodiscard]] inline memory::PassHint passHint(const sampling::StepInfo& step,
                                               sampling::StepWork work) {
    const auto patternOf = [](sampling::StepWork each) {
        return each == sampling::StepWork::Partial ? kPartialPattern : kFullPattern;
    };
    return {.pattern = patternOf(work), .next = patternOf(step.decision.next)};
}

}  // namespace lowtide::models
