#include "plugin/sampling/samplers/sampler_bases.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/reference_math.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
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
                         : config.flow ? flowLevels(config, options.steps, FlowTimesteps::Euler)
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

SignalSampler::SignalSampler(const SchedulerConfig& config, const std::vector<double>& timesteps)
    : prediction_(config.prediction),
      timesteps_(timesteps.begin(), timesteps.end()),
      alphasCumprod_(alphasCumprod(config.noise)) {
    const double highest = *std::max_element(timesteps.begin(), timesteps.end());
    if (highest >= static_cast<double>(config.noise.trainSteps)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the first timestep would be {}, the model has {}",
                            formatNumber(highest),
                            config.noise.trainSteps),
                    message("choose fewer steps or another spacing"),
                    "steps");
    }
    schedule_.timesteps = integerTimesteps(timesteps);
    schedule_.trainSteps = config.noise.trainSteps;
}

double SignalSampler::noiseRatio(int call) const {
    const double signal = alphaCumprod(timestep(call));
    return std::sqrt((1 - signal) / signal);
}

void SignalSampler::refusePureNoise(const std::string& label) const {
    const bool hasPureNoise = std::any_of(
        timesteps_.begin(), timesteps_.end(), [&](int64_t at) { return alphaCumprod(at) == 0; });
    if (hasPureNoise && prediction_ == Prediction::Epsilon) {
        throw Error(ErrorKind::Unsupported,
                    message("{} cannot start at a timestep without signal (rescale_betas_zero_snr) "
                            "when the model predicts noise",
                            label),
                    message("choose the spacing leading, or another sampler"),
                    "rescale_betas_zero_snr");
    }
}

at::Tensor SignalSampler::cleanAt(const at::Tensor& prediction,
                                  const at::Tensor& latents,
                                  int call) const {
    const float now = alphaCumprod(timestep(call));
    return cleanOf(prediction_, prediction, latents, root(now), root(1 - now));
}

at::Tensor SignalSampler::addNoise(const at::Tensor& clean,
                                   const at::Tensor& noise,
                                   int call) const {
    const float now = alphaCumprod(timestep(call));
    return clean * root(now) + noise * root(1 - now);
}

at::Tensor cleanOf(Prediction kind,
                   const at::Tensor& prediction,
                   const at::Tensor& latents,
                   float signal,
                   float noise) {
    switch (kind) {
        case Prediction::Epsilon:
            return (latents - prediction * noise) / signal;
        case Prediction::Velocity:
            return latents * signal - prediction * noise;
        case Prediction::Sample:
        case Prediction::Flow:
            break;
    }
    return prediction;
}

Parts partsOf(Prediction kind,
              const at::Tensor& prediction,
              const at::Tensor& latents,
              float signal,
              float noise) {
    const at::Tensor clean = cleanOf(kind, prediction, latents, signal, noise);
    switch (kind) {
        case Prediction::Epsilon:
            return {clean, prediction};
        case Prediction::Velocity:
            return {clean, prediction * signal + latents * noise};
        case Prediction::Sample:
        case Prediction::Flow:
            break;
    }
    return {clean, (latents - prediction * signal) / noise};
}

namespace {

constexpr int kFewSteps = 15;  // below it, the last steps are of lower order

/// Training timesteps whose log signal-to-noise ratio is not below the config's bound.
int64_t usableTimesteps(double lambdaMinClipped, const std::vector<float>& alphas) {
    int64_t clipped = 0;
    for (auto alpha = alphas.rbegin(); alpha != alphas.rend(); ++alpha, ++clipped) {
        const float lambda = logarithm(std::sqrt(*alpha)) - logarithm(std::sqrt(1 - *alpha));
        if (lambda >= static_cast<float>(lambdaMinClipped)) {
            break;
        }
    }
    return static_cast<int64_t>(alphas.size()) - clipped;
}

SigmaTable solverTable(const SchedulerConfig& config,
                       const SolverGrid& grid,
                       int steps,
                       const std::vector<float>& alphas,
                       const std::vector<float>& training) {
    if (config.spread != SigmaSpread::Normal) {
        return spreadSigmas(config, training.back(), training.front(), steps, training);
    }
    SigmaTable table;
    table.timesteps =
        multistepTimesteps(config, steps, usableTimesteps(grid.lambdaMinClipped, alphas));
    for (const double timestep : table.timesteps) {
        table.sigmas.push_back(numpy::interpolate(timestep, training));
    }
    return table;
}

/// Of a model that knows training timesteps.
NoiseLevels trainedSolverLevels(const SchedulerConfig& config, const SolverGrid& grid, int steps) {
    const std::vector<float> alphas = positiveAlphasCumprod(config.noise);
    const std::vector<float> training = trainingSigmas(alphas);
    const SigmaTable table = solverTable(config, grid, steps, alphas, training);
    NoiseLevels levels{.sigmas = {table.sigmas.begin(), table.sigmas.end()}, .schedule = {}};
    const bool repeats =
        grid.repeatsLastSigma && !config.endsAtZero && config.spread != SigmaSpread::Normal;
    levels.sigmas.push_back(repeats ? levels.sigmas.back() : finalSigma(config, training));
    levels.schedule.timesteps = integerTimesteps(table.timesteps);
    levels.schedule.sigmas = floatValues(levels.sigmas);
    levels.schedule.trainSteps = config.noise.trainSteps;
    return levels;
}

}  // namespace

LogSnrSolver::LogSnrSolver(const SchedulerConfig& config,
                           const SolverGrid& grid,
                           const ScheduleOptions& options)
    : process_(makeProcess(config, LatentForm::Preserving)) {
    NoiseLevels levels = config.edm    ? edmLevels(config, options.steps, RampType::F32)
                         : config.flow ? flowLevels(config, options.steps, grid.flow)
                                       : trainedSolverLevels(config, grid, options.steps);
    schedule_ = std::move(levels.schedule);
    requireFalling(schedule_);
    sigmas_ = std::move(levels.sigmas);
    if (const auto end = shortenedEnd(options, callCount())) {
        sigmas_[static_cast<size_t>(*end)] = 0;
    }
}

int64_t multistepOrder(int64_t order, size_t before, int call, int calls, bool lowerOrderFinal) {
    const int64_t left = calls - call;
    const int64_t known = std::min(order, static_cast<int64_t>(before) + 1);
    return lowerOrderFinal && calls < kFewSteps ? std::min(known, left) : known;
}

int64_t readSolverOrder(const JsonReader& reader) {
    refuseWhenSet(reader, "thresholding");
    const int64_t order = reader.integer("solver_order").value_or(2);
    if (order < 1 || order > 3) {
        refuseSetting("solver_order", std::to_string(order), message("1, 2 or 3"));
    }
    return order;
}

std::string readKind(const JsonReader& reader,
                     const char* key,
                     const std::vector<std::string>& own,
                     const std::vector<std::string>& others) {
    const std::string kind = reader.text(key).value_or(own.front());
    if (std::find(own.begin(), own.end(), kind) != own.end()) {
        return kind;
    }
    if (std::find(others.begin(), others.end(), kind) != others.end()) {
        return own.front();
    }
    refuseSetting(key, kind, joined(std::vector<Message>(own.begin(), own.end()), " or "));
}

}  // namespace lowtide::sampling
