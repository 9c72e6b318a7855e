#include "plugin/base/error.hpp"
#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/numpy_math.hpp"
#include "plugin/sampling/sigma_sampler.hpp"
#include "plugin/sampling/sigma_spread.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace lowtide::sampling {

namespace {

const SchedulerClass kClass = {.label = "DPM++ 2M", .hasSigmaSpreads = true};

constexpr int kFewSteps = 15;  // below it, the last step is of first order

struct SolverSettings {
    SchedulerConfig common;
    int64_t order = 2;
    bool lowerOrderFinal = true;
    bool eulerAtFinal = false;
    double lambdaMinClipped = -std::numeric_limits<double>::infinity();
};

/// A noise level in the variance-preserving form that the solver computes in.
struct Level {
    explicit Level(float ratio)
        : signal(1 / root(ratio * ratio + 1)),
          noise(ratio * signal),
          lambda(logarithm(signal) - logarithm(noise)) {}

    float signal;
    float noise;
    float lambda;  ///< log of signal / noise; +inf without noise
};

/// Training timesteps whose log signal-to-noise ratio is not below the config's bound.
int64_t usableTimesteps(const SolverSettings& settings, const std::vector<float>& shares) {
    int64_t clipped = 0;
    for (auto share = shares.rbegin(); share != shares.rend(); ++share, ++clipped) {
        const float lambda = logarithm(std::sqrt(*share)) - logarithm(std::sqrt(1 - *share));
        if (lambda >= static_cast<float>(settings.lambdaMinClipped)) {
            break;
        }
    }
    return settings.common.noise.trainSteps - clipped;
}

SigmaTable tableOf(const SolverSettings& settings,
                   int steps,
                   const std::vector<float>& shares,
                   const std::vector<float>& training) {
    const SchedulerConfig& config = settings.common;
    if (config.spread != SigmaSpread::Normal) {
        SigmaTable table = spreadSigmas(config, training.back(), training.front(), steps, training);
        if (config.spread == SigmaSpread::Karras && config.noise.kind != "squaredcos_cap_v2") {
            std::transform(table.timesteps.begin(),
                           table.timesteps.end(),
                           table.timesteps.begin(),
                           numpy::roundHalfEven);
        }
        return table;
    }
    SigmaTable table;
    table.timesteps = multistepTimesteps(config, steps, usableTimesteps(settings, shares));
    for (const double timestep : table.timesteps) {
        table.sigmas.push_back(numpy::interpolate(timestep, training));
    }
    return table;
}

/// Second-order multistep solver of the diffusion ODE in the clean latents, midpoint form.
/// Source: Lu et al. 2022 (arXiv 2211.01095), algorithm 2; values: DPMSolverMultistepScheduler.
class Dpmpp2M final : public Sampler {
public:
    Dpmpp2M(const SolverSettings& settings, const ScheduleOptions& options);

    const Schedule& schedule() const override { return schedule_; }

    at::Tensor scaleInput(const at::Tensor& latents, int) const override { return latents; }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override;
    at::Tensor addNoise(const at::Tensor& clean, const at::Tensor& noise, int call) const override;
    void save(tensor::SamplerCarry& carry) const override;
    void restore(const tensor::SamplerCarry& carry) override;

    int historyLength() const override { return 1; }

private:
    [[nodiscard]] Level level(int call) const { return Level(sigmas_[static_cast<size_t>(call)]); }

    [[nodiscard]] at::Tensor clean(const at::Tensor& prediction,
                                   const at::Tensor& latents,
                                   const Level& now) const;
    [[nodiscard]] bool endsWithFirstOrder(int call) const;

    SolverSettings settings_;
    Schedule schedule_;
    std::vector<float> sigmas_;  ///< the schedule's, with 0 where a shortened run ends
    at::Tensor previousClean_;   ///< of the call before; undefined before the first
};

Dpmpp2M::Dpmpp2M(const SolverSettings& settings, const ScheduleOptions& options)
    : settings_(settings) {
    const std::vector<float> shares = positiveSignalShares(settings.common.noise);
    const std::vector<float> training = trainingSigmas(shares);
    const SigmaTable table = tableOf(settings, options.steps, shares, training);
    sigmas_.assign(table.sigmas.begin(), table.sigmas.end());
    sigmas_.push_back(finalSigma(settings.common, training));
    schedule_.timesteps = wholeTimesteps(table.timesteps);
    schedule_.sigmas = floatValues(sigmas_);
    if (const auto end = shortenedEnd(options, callCount())) {
        sigmas_[static_cast<size_t>(*end)] = 0;
    }
}

at::Tensor Dpmpp2M::clean(const at::Tensor& prediction,
                          const at::Tensor& latents,
                          const Level& now) const {
    switch (settings_.common.prediction) {
        case Prediction::Epsilon:
            return (latents - prediction * now.noise) / now.signal;
        case Prediction::Velocity:
            return latents * now.signal - prediction * now.noise;
        case Prediction::Sample:
            break;
    }
    return prediction;
}

/// Without noise behind the step the second order divides by an infinite distance; few steps are
/// steadier without it.
bool Dpmpp2M::endsWithFirstOrder(int call) const {
    if (sigmas_[static_cast<size_t>(call) + 1] == 0) {
        return true;
    }
    return call == callCount() - 1 &&
           (settings_.eulerAtFinal || (settings_.lowerOrderFinal && callCount() < kFewSteps));
}

at::Tensor Dpmpp2M::step(const at::Tensor& prediction,
                         int call,
                         const at::Tensor& latents,
                         const std::function<at::Tensor(at::IntArrayRef)>&) {
    const Level now = level(call);
    const Level next = level(call + 1);
    const at::Tensor current = clean(prediction, latents, now);
    const at::Tensor previous = std::exchange(previousClean_, current);
    const float distance = next.lambda - now.lambda;
    const float factor = next.signal * (exponential(-distance) - 1);
    const at::Tensor first = latents * (next.noise / now.noise) - current * factor;
    if (settings_.order == 1 || !previous.defined() || endsWithFirstOrder(call)) {
        return first;
    }
    const float ratio = (now.lambda - level(call - 1).lambda) / distance;
    const at::Tensor slope = (current - previous) * (1 / ratio);
    return first - slope * (0.5F * factor);
}

at::Tensor Dpmpp2M::addNoise(const at::Tensor& clean, const at::Tensor& noise, int call) const {
    const Level now = level(call);
    return clean * now.signal + noise * now.noise;
}

void Dpmpp2M::save(tensor::SamplerCarry& carry) const {
    carry.history.clear();
    if (previousClean_.defined()) {
        carry.history.push_back(previousClean_);
    }
}

void Dpmpp2M::restore(const tensor::SamplerCarry& carry) {
    LOWTIDE_ASSERT(carry.history.size() <= static_cast<size_t>(historyLength()));
    previousClean_ = carry.history.empty() ? at::Tensor() : carry.history.front();
}

void refuseOtherSolvers(const JsonReader& reader, SolverSettings& settings) {
    refuseWhenSet(reader, "thresholding");
    refuseWhenSet(reader, "use_lu_lambdas");
    refuseWhenSet(reader, "use_flow_sigmas");
    const std::string algorithm = reader.text("algorithm_type").value_or("dpmsolver++");
    if (algorithm != "dpmsolver++") {
        refuseSetting("algorithm_type", algorithm, "dpmsolver++");
    }
    const std::string solver = reader.text("solver_type").value_or("midpoint");
    if (solver != "midpoint" && solver != "logrho" && solver != "bh1" && solver != "bh2") {
        refuseSetting("solver_type", solver, "midpoint");
    }
    if (const auto variance = reader.text("variance_type");
        variance == "learned" || variance == "learned_range") {
        refuseSetting("variance_type", *variance, "models that predict no variance");
    }
    settings.order = reader.integer("solver_order").value_or(settings.order);
    if (settings.order != 1 && settings.order != 2) {
        refuseSetting("solver_order", std::to_string(settings.order), "1 or 2");
    }
}

std::unique_ptr<Sampler> make(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    SolverSettings settings{.common = readSchedulerConfig(config, kClass, options)};
    refuseOtherSolvers(reader, settings);
    settings.lowerOrderFinal =
        reader.boolean("lower_order_final").value_or(settings.lowerOrderFinal);
    settings.eulerAtFinal = reader.boolean("euler_at_final").value_or(settings.eulerAtFinal);
    settings.lambdaMinClipped =
        reader.number("lambda_min_clipped").value_or(settings.lambdaMinClipped);
    return std::make_unique<Dpmpp2M>(settings, options);
}

}  // namespace

SamplerType dpmpp_2m() {
    return {.name = "dpmpp_2m",
            .label = kClass.label,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .make = make};
}

}  // namespace lowtide::sampling
