#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A node that executed: what the plan said beside what came.
struct MeasuredNode {
    std::string node;
    double seconds = 0;
    std::optional<double> plannedSeconds;
    Bytes peak = 0;
    std::optional<Bytes> plannedPeak;  ///< on the device where it computed
    Bytes moved = 0;
    Bytes plannedMoved = 0;
    std::optional<double> copySeconds;  ///< that the copy lane worked; empty: there is none
    double waitSeconds = 0;             ///< that compute waited for copies
};

/// The last repetition of a run.
struct MeasuredView {
    std::vector<MeasuredNode> nodes;
    std::vector<std::string> cached;
    Bytes peak = 0;  ///< on the run's device
    Bytes plannedPeak = 0;
    bool isEstimated = true;  ///< the predicted times
    int collections = 0;
    Bytes saved = 0;  ///< by them
};

/// Of a report; empty when nothing executed.
[[nodiscard]] std::optional<MeasuredView> measuredViewOf(const Json& report);

}  // namespace lowtide::ui
