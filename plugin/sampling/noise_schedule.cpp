#include "plugin/sampling/noise_schedule.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lowtide::sampling {

namespace {

constexpr float kAlmostNoSignal = 0x1p-24F;

at::Tensor toTensor(const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).to(at::kFloat);
}

/// Cosine schedule. Source: Nichol and Dhariwal 2021, eq. 17.
at::Tensor cosineBetas(int64_t trainSteps) {
    constexpr double kMostBeta = 0.999;
    const auto signal = [](double t) {
        return std::pow(std::cos((t + 0.008) / 1.008 * std::numbers::pi / 2), 2.0);
    };
    std::vector<double> betas;
    const auto count = static_cast<double>(trainSteps);
    for (int64_t i = 0; i < trainSteps; ++i) {
        const double now = static_cast<double>(i) / count;
        const double next = static_cast<double>(i + 1) / count;
        betas.push_back(std::min(1 - signal(next) / signal(now), kMostBeta));
    }
    return toTensor(betas);
}

at::Tensor betasOf(const NoiseSchedule& schedule) {
    if (!schedule.betas.empty()) {
        return toTensor(schedule.betas);
    }
    if (schedule.kind == "linear") {
        return at::linspace(schedule.betaStart, schedule.betaEnd, schedule.trainSteps, at::kFloat);
    }
    if (schedule.kind == "scaled_linear") {
        const at::Tensor roots = at::linspace(std::pow(schedule.betaStart, 0.5),
                                              std::pow(schedule.betaEnd, 0.5),
                                              schedule.trainSteps,
                                              at::kFloat);
        return at::pow(roots, 2);
    }
    if (schedule.kind == "squaredcos_cap_v2") {
        return cosineBetas(schedule.trainSteps);
    }
    refuseSetting(
        "beta_schedule", schedule.kind, message("linear, scaled_linear or squaredcos_cap_v2"));
}

/// Moves and stretches the signal so that nothing of it is left at the last timestep.
at::Tensor withZeroTerminalSnr(const at::Tensor& betas) {
    at::Tensor root = at::sqrt(at::cumprod(1.0 - betas, 0));
    const at::Tensor first = root[0].clone();
    const at::Tensor last = root[-1].clone();
    root = (root - last) * (first / (first - last));
    const at::Tensor alpha = at::pow(root, 2);
    const at::Tensor ratios = alpha.slice(0, 1) / alpha.slice(0, 0, -1);
    return 1 - at::cat({alpha.slice(0, 0, 1), ratios});
}

}  // namespace

std::vector<float> alphasCumprod(const NoiseSchedule& schedule) {
    at::Tensor betas = betasOf(schedule);
    if (schedule.zeroTerminalSnr) {
        betas = withZeroTerminalSnr(betas);
    }
    return floatsOf(at::cumprod(1.0 - betas, 0));
}

std::vector<float> positiveAlphasCumprod(const NoiseSchedule& schedule) {
    std::vector<float> alphas = alphasCumprod(schedule);
    if (schedule.zeroTerminalSnr) {
        alphas.back() = kAlmostNoSignal;
    }
    return alphas;
}

std::vector<float> trainingSigmas(const std::vector<float>& alphas) {
    const at::Tensor values = at::tensor(alphas, at::kFloat);
    return floatsOf(at::pow((1 - values) / values, 0.5));
}

TimeAt trainingTimes(int64_t trainSteps) {
    return [last = static_cast<double>(trainSteps - 1)](double fraction) {
        return (1 - fraction) * last;
    };
}

TimeAt timeScaleOf(const Json& checkpointConfig) {
    const SchedulerConfig config =
        readSchedulerConfig(checkpointConfig,
                            {.label = "the checkpoint", .hasEdm = true, .hasFlow = true},
                            {.steps = 1});
    if (config.edm) {
        const double from = 0.25 * std::log(config.edm->sigmaMax);
        const double to = 0.25 * std::log(config.edm->sigmaMin);
        return [from, to](double fraction) { return from + fraction * (to - from); };
    }
    if (config.flow) {
        const double shift = config.flow->shift;
        const auto count = static_cast<double>(config.noise.trainSteps);
        return
            [shift, count](double fraction) { return count * shiftedSigma(1 - fraction, shift); };
    }
    return trainingTimes(config.noise.trainSteps);
}

}  // namespace lowtide::sampling
