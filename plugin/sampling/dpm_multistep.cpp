#include "plugin/sampling/dpm_multistep.hpp"

#include "plugin/sampling/dpm_update.hpp"
#include "plugin/sampling/history.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

struct MultistepSettings {
    SchedulerConfig common;
    SolverGrid grid;
    DpmMethod method;
    int64_t order = 2;
    bool lowerOrderFinal = true;
    bool eulerAtFinal = false;
};

/// Multistep solver of the diffusion ODE or SDE in the clean latents. Sources: Lu et al. 2022
/// (arXiv 2211.01095), algorithm 2; third order: arXiv 2206.00927; values:
/// DPMSolverMultistepScheduler.
class DpmMultistep final : public LogSnrSolver {
public:
    DpmMultistep(const MultistepSettings& settings, const ScheduleOptions& options)
        : LogSnrSolver(settings.common, settings.grid, options),
          settings_(settings),
          before_(static_cast<size_t>(settings.order - 1)) {}

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const Level now = level(call);
        const at::Tensor current = cleanAt(prediction, latents, call);
        const at::Tensor drawn =
            settings_.method.isStochastic ? noise(prediction.sizes()) : at::Tensor();
        const DpmPolynomial polynomial = polynomialOf(current, call);
        before_.push(current);
        return dpmUpdate(settings_.method, latents, now, level(call + 1), polynomial, drawn);
    }

    void save(tensor::SamplerCarry& carry) const override { carry.history = before_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { before_.restore(carry.history); }

    int historyLength() const override { return static_cast<int>(before_.most()); }

private:
    [[nodiscard]] int64_t orderOf(int call) const {
        const bool isLast = call == callCount() - 1;
        if (goesToZero(call) || (isLast && settings_.eulerAtFinal)) {
            return 1;
        }
        return multistepOrder(
            settings_.order, before_.size(), call, callCount(), settings_.lowerOrderFinal);
    }

    /// Through the clean latents of this call and those before it.
    [[nodiscard]] DpmPolynomial polynomialOf(const at::Tensor& current, int call) const {
        const int64_t order = orderOf(call);
        if (order == 1) {
            return {.value = current, .slope = {}, .curvature = {}};
        }
        const float now = level(call).lambda;
        const float distance = level(call + 1).lambda - now;
        const float before = level(call - 1).lambda;
        const float near = (now - before) / distance;
        const at::Tensor slope = (current - before_.ago(1)) * (1 / near);
        if (order == 2) {
            return {.value = current, .slope = slope, .curvature = {}};
        }
        const float far = (before - level(call - 2).lambda) / distance;
        const at::Tensor change = slope - (before_.ago(1) - before_.ago(2)) * (1 / far);
        return {.value = current,
                .slope = slope + change * (near / (near + far)),
                .curvature = change * (1 / (near + far)),
                .isSlopeExact = true};
    }

    MultistepSettings settings_;
    History before_;  ///< clean latents of the calls before
};

}  // namespace

SamplerFacts multistepFacts(const Json& config) {
    const JsonReader reader = schedulerReader(config);
    const bool isStochastic = readDpmMethod(reader).isStochastic;
    return {.label = "DPM++ " + std::to_string(readSolverOrder(reader)) + "M" +
                     (isStochastic ? " SDE" : ""),
            .drawsNoise = isStochastic};
}

std::unique_ptr<Sampler> makeDpmMultistep(const Json& config,
                                          const Json& changes,
                                          const std::string& label,
                                          const ScheduleOptions& options) {
    const SchedulerClass kind = {.label = label,
                                 .hasSigmaSpreads = true,
                                 .hasLuLambdas = true,
                                 .hasFinalSigma = true,
                                 .hasZeroSnr = kMultistepReadsZeroSnr,
                                 .hasEdm = true,
                                 .hasFlow = true,
                                 .karrasTimesteps = KarrasTimesteps::WholeUnlessCosine};
    const Json changed = withSettings(config, changes);
    const JsonReader reader = schedulerReader(changed);
    MultistepSettings settings{.common = readSchedulerConfig(changed, kind, options)};
    settings.order = readSolverOrder(reader);
    settings.method = readDpmMethod(reader);
    settings.lowerOrderFinal =
        reader.boolean("lower_order_final").value_or(settings.lowerOrderFinal);
    settings.eulerAtFinal = reader.boolean("euler_at_final").value_or(settings.eulerAtFinal);
    settings.grid.lambdaMinClipped =
        reader.number("lambda_min_clipped").value_or(settings.grid.lambdaMinClipped);
    return std::make_unique<DpmMultistep>(settings, options);
}

}  // namespace lowtide::sampling
