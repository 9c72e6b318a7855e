#pragma once

#include "plugin/memory/component_ids.hpp"

#include <string>
#include <vector>

namespace lowtide::memory {

/// A tensor of an adapter that a change is made of: "up", "down", "difference", ...
struct ChangeFactor {
    std::string name;
    WeightId weight = 0;  ///< of every leaf that uses the changed one, in the type of its file
};

/// What an adapter does to one weight: added in f32 to the value of the file and the changes before
/// it. Data alone: the mathematics of `kind` is that of a change kind that is built.
struct WeightChange {
    WeightId weight = 0;
    std::string kind;  ///< "low_rank", "hadamard", "kronecker", "difference", ...
    std::vector<ChangeFactor> factors;
    double scale = 1;     ///< of the file: alpha / rank, where it has an alpha
    double strength = 1;  ///< what a person makes of it; may be negative
};

}  // namespace lowtide::memory
