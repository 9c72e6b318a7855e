#pragma once

#include "plugin/base/units.hpp"

#include <algorithm>

namespace lowtide::models {

/// How much of a stage's time its previews may take. What they show depends on the clock, results
/// never do.
struct PreviewPace {
    Seconds interval = 0.2;  ///< between two pictures at least
    double share = 0.01;     ///< of the time, at most

    /// How long to wait after a picture that took `cost`.
    [[nodiscard]] Seconds restAfter(Seconds cost) const {
        return std::max(interval, cost / share - cost);
    }
};

}  // namespace lowtide::models
