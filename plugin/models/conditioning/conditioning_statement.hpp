#pragma once
// What a family states of its encoded prompts. Torch-free.

#include "plugin/models/conditioning/conditioning_outline.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What encoding a request would give.
struct PromptsOutline {
    ConditioningOutline positive;
    ConditioningOutline negative;
    /// By the parameter of each text: how many of its tokens do not fit.
    std::vector<std::pair<std::string, int64_t>> cutTokens{};
};

}  // namespace lowtide::models
