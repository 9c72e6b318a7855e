#include "plugin/sampling/sigma_sampler.hpp"

#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/numpy_math.hpp"
#include "plugin/sampling/own_levels.hpp"
#include "plugin/sampling/sigma_spread.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lowtide::sampling {

namespace {

SigmaTable trainedTable(const SchedulerConfig& config,
                        int steps,
                        const std::vector<float>& training) {
    SigmaTable table;
    table.timesteps = fallingTimesteps(config, steps, TimestepKind::Fractional);
    for (const double timestep : table.timesteps) {
        table.sigmas.push_back(numpy::interpolate(timestep, training));
    }
    if (config.spread == SigmaSpread::Normal) {
        return table;
    }
    return spreadSigmas(config, table.sigmas.front(), table.sigmas.back(), steps, training);
}

double initNoiseSigma(const SchedulerConfig& config, const std::vector<float>& sigmas) {
    const float highest = *std::max_element(sigmas.begin(), sigmas.end());
    return config.spacing == Spacing::Leading ? root(highest * highest + 1) : highest;
}

/// Of a model that knows training timesteps.
NoiseLevels trainedSigmas(const SchedulerConfig& config, int steps) {
    const std::vector<float> training = trainingSigmas(positiveAlphasCumprod(config.noise));
    const SigmaTable table = trainedTable(config, steps, training);
    NoiseLevels levels{.sigmas = {table.sigmas.begin(), table.sigmas.end()}, .schedule = {}};
    levels.sigmas.push_back(finalSigma(config, training));
    levels.schedule.timesteps =
        floatValues(std::vector<float>(table.timesteps.begin(), table.timesteps.end()));
    levels.schedule.sigmas = floatValues(levels.sigmas);
    levels.schedule.initNoiseSigma = initNoiseSigma(config, levels.sigmas);
    levels.schedule.trainSteps = config.noise.trainSteps;
    return levels;
}

}  // namespace

SigmaSampler::SigmaSampler(const SchedulerConfig& config, const ScheduleOptions& options)
    : process_(makeProcess(config, LatentForm::Growing)) {
    NoiseLevels levels = config.edm    ? edmLevels(config, options.steps, RampType::F64)
                         : config.flow ? flowLevels(config, options.steps, FlowPlaces::Euler)
                                       : trainedSigmas(config, options.steps);
    schedule_ = std::move(levels.schedule);
    sigmas_ = std::move(levels.sigmas);
    if (const auto end = shortenedEnd(options, callCount())) {
        sigmas_[static_cast<size_t>(*end)] = 0;
    }
}

void SigmaSampler::setCalls(at::Tensor timesteps, at::Tensor sigmas) {
    schedule_.timesteps = std::move(timesteps);
    schedule_.sigmas = std::move(sigmas);
}

float finalSigma(const SchedulerConfig& config, const std::vector<float>& training) {
    return config.endsAtZero ? 0.0F : training.front();
}

}  // namespace lowtide::sampling
