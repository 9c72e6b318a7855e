#pragma once

#include "plugin/base/units.hpp"

#include <cstddef>
#include <vector>

namespace lowtide::memory {

/// What one way to lay components out takes, as predicted.
struct ChoiceCost {
    Seconds seconds = 0;
    double moved = 0;  ///< bytes to the device
};

/// The one that moves least among those that take the shortest time. Of equals the first; the list
/// is not empty.
[[nodiscard]] size_t bestChoice(const std::vector<ChoiceCost>& choices);

}  // namespace lowtide::memory
