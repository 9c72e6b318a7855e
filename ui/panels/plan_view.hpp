#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// What one stage of a plan holds on one device. `streamed` is the part of `weights` through which
/// groups pass.
struct StageBar {
    std::string node;
    Bytes weights = 0;
    Bytes streamed = 0;
    Bytes activations = 0;
    Bytes wires = 0;
    Bytes caches = 0;
    Bytes staging = 0;
    Bytes moved = 0;        ///< in the whole stage
    Bytes movedInPass = 0;  ///< what one pass streams
    double seconds = 0;

    [[nodiscard]] Bytes total() const { return weights + activations + wires + caches + staging; }
};

/// A plan as the memory panel shows it: the device of the run, bar by bar.
struct PlanView {
    std::string device;
    Bytes budget = 0;  ///< 0: without a bound
    Bytes peak = 0;
    Bytes minimum = 0;
    bool isEstimated = false;
    QString measuredOn;
    std::vector<StageBar> stages;        ///< those that hold something there
    std::vector<std::string> elsewhere;  ///< nodes that compute on another device
};

/// Of Runner::plan's "plan"; empty when it is none.
[[nodiscard]] std::optional<PlanView> planViewOf(const Json& plan);
/// Percent of the networks' bytes on the device that each pass copies instead of keeping them.
[[nodiscard]] int streamedPercent(const Json& plan, const std::string& device);

}  // namespace lowtide::ui
