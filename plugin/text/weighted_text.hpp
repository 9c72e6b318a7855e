#pragma once

#include <string>
#include <vector>

namespace lowtide::models {

/// A stretch of a prompt that is spoken with one weight.
struct WeightedPart {
    std::string text;
    double weight = 1;     ///< 1 as it is; finite
    bool isBreak = false;  ///< no text: what follows begins a new chunk
};

}  // namespace lowtide::models
