#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/sampling/step_caches/gates/output_change_gate.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"
#include "plugin/sampling/step_caches/gates/window_gate.hpp"

#include <string>

namespace lowtide::sampling {

/// What a person chose for the step forecast.
struct StepForecastSettings {
    std::string gate;             ///< "output_change" or "window"
    OutputChangeSettings change;  ///< of the gate "output_change"
    WindowSettings window;        ///< of the gate "window"
    std::string predictor;        ///< "reuse", "taylor" or "spectrum"
    ReuseLimits limits;
};

/// Settings by the ids of the node's parameters. Error{InvalidInput} blames the setting.
[[nodiscard]] StepForecastSettings readStepForecast(const Json& settings);

}  // namespace lowtide::sampling
