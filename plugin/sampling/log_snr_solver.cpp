#include "plugin/sampling/log_snr_solver.hpp"

#include "plugin/base/text.hpp"
#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/numpy_math.hpp"
#include "plugin/sampling/sigma_sampler.hpp"
#include "plugin/sampling/sigma_spread.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::sampling {

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
    levels.schedule.timesteps = wholeTimesteps(table.timesteps);
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
        refuseSetting("solver_order", std::to_string(order), "1, 2 or 3");
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
    refuseSetting(key, kind, join(own, " or "));
}

}  // namespace lowtide::sampling
