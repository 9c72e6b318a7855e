#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/history.hpp"
#include "plugin/sampling/log_snr_solver.hpp"
#include "plugin/sampling/numpy_math.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kDeisClass = {.label = "DEIS",
                                   .hasSigmaSpreads = true,
                                   .hasEdm = true,
                                   .hasFlow = true,
                                   .karrasTimesteps = KarrasTimesteps::Whole};

struct DeisSettings {
    SchedulerConfig common;
    int64_t order = 2;
    bool lowerOrderFinal = true;
};

/// Antiderivative at `at` of the polynomial in log rho that is 1 at `one` and 0 at `zero`.
float integral(float at, float one, float zero) {
    using numpy::log;
    return at * (-log(zero) + log(at) - 1) / (log(one) - log(zero));
}

/// The same with two zeros.
float integral(float at, float one, float zero, float other) {
    const float t = numpy::log(at);
    const float b = numpy::log(one);
    const float c = numpy::log(zero);
    const float d = numpy::log(other);
    return at * (c * (d - t + 1) - d * t + d + t * t - 2 * t + 2) / ((b - c) * (b - d));
}

/// Exponential integrator with polynomials in log rho, rho being noise per signal. Source: Zhang
/// and Chen 2022 (arXiv 2204.13902); values: DEISMultistepScheduler.
class Deis final : public LogSnrSolver {
public:
    Deis(const DeisSettings& settings, const ScheduleOptions& options)
        : LogSnrSolver(settings.common, {.repeatsLastSigma = true}, options),
          settings_(settings),
          before_(static_cast<size_t>(settings.order - 1)) {}

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const Level now = level(call);
        const at::Tensor predicted = cleanAt(prediction, latents, call);
        const at::Tensor noise = (latents - predicted * now.signal) / now.noise;
        const at::Tensor moved = goesToZero(call) ? predicted : multistep(noise, call, latents);
        before_.push(noise);
        return moved;
    }

    void save(tensor::SamplerCarry& carry) const override { carry.history = before_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { before_.restore(carry.history); }

    int historyLength() const override { return static_cast<int>(before_.most()); }

private:
    [[nodiscard]] float rho(int call) const {
        const Level there = level(call);
        return there.noise / there.signal;
    }

    [[nodiscard]] at::Tensor multistep(const at::Tensor& noise,
                                       int call,
                                       const at::Tensor& latents) const {
        const int64_t order = multistepOrder(
            settings_.order, before_.size(), call, callCount(), settings_.lowerOrderFinal);
        const Level from = level(call);
        const Level to = level(call + 1);
        if (order == 1) {
            const float growth = exponential(to.lambda - from.lambda) - 1;
            return latents * (to.signal / from.signal) - noise * (to.noise * growth);
        }
        const float next = rho(call + 1);
        const float now = rho(call);
        const float near = rho(call - 1);
        const at::Tensor scaled = latents / from.signal;
        if (order == 2) {
            const float first = integral(next, now, near) - integral(now, now, near);
            const float second = integral(next, near, now) - integral(now, near, now);
            return (scaled + noise * first + before_.ago(1) * second) * to.signal;
        }
        const float far = rho(call - 2);
        const float first = integral(next, now, near, far) - integral(now, now, near, far);
        const float second = integral(next, near, far, now) - integral(now, near, far, now);
        const float third = integral(next, far, now, near) - integral(now, far, now, near);
        return (scaled + noise * first + before_.ago(1) * second + before_.ago(2) * third) *
               to.signal;
    }

    DeisSettings settings_;
    History before_;  ///< noise that the calls before predicted
};

std::unique_ptr<Sampler> makeDeis(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    DeisSettings settings{.common = readSchedulerConfig(config, kDeisClass, options)};
    settings.common.endsAtZero = false;  // the logarithm of its last rho is taken
    settings.order = readSolverOrder(reader);
    settings.lowerOrderFinal = reader.boolean("lower_order_final").value_or(true);
    (void)readKind(reader, "algorithm_type", {"deis"}, {"dpmsolver", "dpmsolver++"});
    (void)readKind(reader, "solver_type", {"logrho"}, {"midpoint", "heun", "bh1", "bh2"});
    return std::make_unique<Deis>(settings, options);
}

}  // namespace

SamplerType deis() {
    return {.name = "deis",
            .label = kDeisClass.label,
            .schedulerClass = "DEISMultistepScheduler",
            .readsZeroSnr = kDeisClass.hasZeroSnr,
            .make = makeDeis};
}

}  // namespace lowtide::sampling
