#include "plugin/sampling/time_scale.hpp"

#include "plugin/sampling/own_levels.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <cmath>

namespace lowtide::sampling {

TimeAt trainingTimes(int64_t trainSteps) {
    return
        [last = static_cast<double>(trainSteps - 1)](double share) { return (1 - share) * last; };
}

TimeAt timeScaleOf(const Json& checkpointConfig) {
    const SchedulerConfig config =
        readSchedulerConfig(checkpointConfig,
                            {.label = "the checkpoint", .hasEdm = true, .hasFlow = true},
                            {.steps = 1});
    if (config.edm) {
        const double from = 0.25 * std::log(config.edm->sigmaMax);
        const double to = 0.25 * std::log(config.edm->sigmaMin);
        return [from, to](double share) { return from + share * (to - from); };
    }
    if (config.flow) {
        const double shift = config.flow->shift;
        const auto count = static_cast<double>(config.noise.trainSteps);
        return [shift, count](double share) { return count * shiftedSigma(1 - share, shift); };
    }
    return trainingTimes(config.noise.trainSteps);
}

}  // namespace lowtide::sampling
