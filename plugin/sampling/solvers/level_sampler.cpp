#include "plugin/sampling/solvers/level_sampler.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/noise_levels.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::sampling {

SchedulerConfig solverConfig(const Json& checkpointConfig, int steps) {
    static const SchedulerClass kAlongLevels = {
        .label = "A schedule by name",
        .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .kind = "scaled_linear", .betas = {}},
        .hasZeroSnr = true,
        .hasEdm = true,
        .hasFlow = true};
    return readSchedulerConfig(checkpointConfig, kAlongLevels, {.steps = steps});
}

LevelSampler::LevelSampler(const SolverType& type,
                           const SchedulerConfig& config,
                           const std::vector<float>& sigmas)
    : type_(type),
      process_(makeProcess(config, LatentForm::Growing)),
      trained_(trainedLevels(config)),
      isFlow_(config.flow.has_value()),
      hasWholeTimes_(!config.flow && !config.edm),
      sigmas_(sigmas.begin(), sigmas.end()) {
    LOWTIDE_ASSERT(sigmas.size() > 1);
    if (sigmas_.back() == 0) {
        sigmas_.back() = type.end;
    }
    if (!config.edm) {
        schedule_.trainSteps = config.noise.trainSteps;
    }
    traceCalls();
    if (stages_.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} does nothing in a pass of {} steps", type.label, sigmas.size() - 1),
                    message("choose more steps, or another sampler"),
                    "steps");
    }
}

void LevelSampler::traceCalls() {
    std::vector<float> levels;
    SolverRun run;
    run.ask = [&](const at::Tensor& latents, double sigma, int stage) {
        if (stage == 0) {
            begins_.push_back(static_cast<int>(levels.size()));
        }
        levels.push_back(static_cast<float>(sigma));
        stages_.push_back(stage);
        const at::Tensor clean = at::zeros_like(latents);
        return Denoised{.clean = clean, .uncond = clean};
    };
    run.noise = [](double, double) { return at::zeros({1}); };
    (void)solve(std::move(run), at::ones({1}));
    std::vector<at::Tensor> times;
    for (const float level : levels) {
        times.push_back(timeAt(level));
    }
    if (times.empty()) {
        return;
    }
    schedule_.timesteps = at::stack(times);
    levels.push_back(static_cast<float>(sigmas_.back()));
    schedule_.sigmas = floatValues(levels);
    const at::Tensor nothing = at::zeros({1});
    schedule_.initNoiseSigma =
        *noised(nothing, at::ones({1}), sigmas_.front()).const_data_ptr<float>();
}

int LevelSampler::firstCall(int step) const {
    return step < stepCount() ? begins_[static_cast<size_t>(step)] : callCount();
}

at::Tensor LevelSampler::scaleInput(const at::Tensor& latents, int call) const {
    return process_->scaledInput(latents, static_cast<float>(noiseRatio(call)));
}

at::Tensor LevelSampler::cleanAt(const at::Tensor& prediction,
                                 const at::Tensor& latents,
                                 int call) const {
    return process_->clean(prediction, latents, static_cast<float>(noiseRatio(call)));
}

at::Tensor LevelSampler::addNoise(const at::Tensor& clean,
                                  const at::Tensor& noise,
                                  int call) const {
    // The first call of some solvers is made a little below the level that the pass begins with.
    return noised(clean, noise, call == 0 ? sigmas_.front() : noiseRatio(call));
}

at::Tensor LevelSampler::step(const at::Tensor& /*prediction*/,
                              int /*call*/,
                              const at::Tensor& /*latents*/,
                              const std::function<at::Tensor(at::IntArrayRef)>& /*noise*/) {
    LOWTIDE_ASSERT(false);
}

at::Tensor LevelSampler::solve(SolverRun run, const at::Tensor& latents) const {
    run.sigmas = sigmas_;
    run.isFlow = isFlow_;
    run.sigmaAfter = trained_.sigmaAfter;
    return type_.solve(run, latents);
}

at::Tensor LevelSampler::timeAt(double sigma) const {
    if (hasWholeTimes_) {
        return at::scalar_tensor(static_cast<int64_t>(trained_.timeAt(sigma)), at::kLong);
    }
    return at::scalar_tensor(process_->timesAt({static_cast<float>(sigma)}).front(), at::kFloat);
}

at::Tensor LevelSampler::noised(const at::Tensor& clean,
                                const at::Tensor& noise,
                                double sigma) const {
    constexpr double kNearHighest = 1e-5;
    if (isFlow_) {
        return clean * (1 - sigma) + noise * sigma;
    }
    const double highest = trained_.sigmas.back();
    const bool isHighest = sigma > highest || std::abs(sigma - highest) <= kNearHighest * highest;
    return clean + noise * (isHighest ? std::sqrt(1 + sigma * sigma) : sigma);
}

double LevelSampler::lowest() const {
    return sigmas_.back() > 0 ? sigmas_.back() : sigmas_[sigmas_.size() - 2];
}

}  // namespace lowtide::sampling
