#include "plugin/sampling/step_caches/step_forecast/step_forecast_settings.hpp"

#include "plugin/sampling/step_caches/gates/setting_reader.hpp"

namespace lowtide::sampling {

StepForecastSettings readStepForecast(const Json& settings) {
    const SettingReader reader(settings, "the settings of the step forecast");
    const ReuseLimits limits = reader.limits();
    return {.gate = reader.choice("gate", {"output_change", "window"}),
            .change = {.threshold = reader.number("threshold"),
                       .active = {.begin = reader.number("start"), .end = reader.number("end")}},
            .window = {.window = reader.number("window"),
                       .growth = reader.number("window_growth"),
                       .warmUp = limits.warmUp,
                       .stopShare = reader.number("end")},
            .predictor = reader.choice("predictor", {"reuse", "taylor", "spectrum"}),
            .limits = limits};
}

}  // namespace lowtide::sampling
