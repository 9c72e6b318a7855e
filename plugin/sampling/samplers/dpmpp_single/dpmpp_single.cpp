#include "plugin/base/error.hpp"
#include "plugin/sampling/dpm_update.hpp"
#include "plugin/sampling/history.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

const SchedulerClass kDpmSinglestepClass = {.label = "DPM++ 2S",
                                            .hasSpacing = false,
                                            .hasSigmaSpreads = true,
                                            .hasFinalSigma = true,
                                            .hasEdm = true,
                                            .hasFlow = true,
                                            .karrasTimesteps = KarrasTimesteps::Whole};

struct SinglestepSettings {
    SchedulerConfig common;
    SolverGrid grid;
    DpmMethod method;
    int64_t order = 2;
    bool lowerOrderFinal = false;
};

/// The order of every call: 1, 2, ... up to the solver's, again and again.
std::vector<int64_t> ordersOf(const SinglestepSettings& settings, int steps) {
    const int64_t order = settings.order;
    std::vector<int64_t> orders;
    for (int64_t call = 0; call < steps; ++call) {
        orders.push_back(call % order + 1);
    }
    const bool endsLow = settings.lowerOrderFinal && steps % order == 0;  // ..., 1, 2, 1
    if (endsLow || settings.common.endsAtZero) {
        orders.back() = 1;
    }
    return orders;
}

/// Singlestep solver of the diffusion ODE or SDE in the clean latents: every group of calls goes
/// anew from where it began, with one order more at each call. Source: Lu et al. 2022 (arXiv
/// 2211.01095), algorithm 1, and arXiv 2206.00927; values: DPMSolverSinglestepScheduler.
class DpmSinglestep final : public LogSnrSolver {
public:
    DpmSinglestep(const SinglestepSettings& settings, const ScheduleOptions& options)
        : LogSnrSolver(settings.common, settings.grid, options),
          settings_(settings),
          orders_(ordersOf(settings, options.steps)),
          before_(static_cast<size_t>(settings.order - 1)) {}

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>& noise) override {
        const at::Tensor current = cleanAt(prediction, latents, call);
        const at::Tensor drawn =
            settings_.method.isStochastic ? noise(prediction.sizes()) : at::Tensor();
        const int order = orderOf(call);
        if (order == 1) {
            begin_ = latents;
        }
        const DpmPolynomial polynomial = polynomialOf(current, call, order);
        before_.push(current);
        return dpmUpdate(
            settings_.method, begin_, level(call + 1 - order), level(call + 1), polynomial, drawn);
    }

    void save(tensor::SamplerCarry& carry) const override {
        carry.history = before_.entries();
        if (begin_.defined() && settings_.order > 1) {
            carry.history.push_back(begin_);
        }
    }

    void restore(const tensor::SamplerCarry& carry) override {
        std::vector<at::Tensor> entries = carry.history;
        if (!entries.empty()) {
            begin_ = entries.back();
            entries.pop_back();
        }
        before_.restore(entries);
    }

    int historyLength() const override {
        return settings_.order > 1 ? static_cast<int>(settings_.order) : 0;
    }

private:
    /// A pass that starts in the middle of a group begins one of its own.
    [[nodiscard]] int orderOf(int call) const {
        const auto known = static_cast<int64_t>(before_.size()) + 1;
        return goesToZero(call)
                   ? 1
                   : static_cast<int>(std::min(orders_[static_cast<size_t>(call)], known));
    }

    /// Through the clean latents of the group's calls; it begins at the first of them.
    [[nodiscard]] DpmPolynomial polynomialOf(const at::Tensor& current, int call, int order) const {
        if (order == 1) {
            return {.value = current, .slope = {}, .curvature = {}};
        }
        const float begin = level(call + 1 - order).lambda;
        const float distance = level(call + 1).lambda - begin;
        const float far = (level(call).lambda - begin) / distance;
        const at::Tensor& first = before_.ago(static_cast<size_t>(order - 1));
        const at::Tensor farSlope = (current - first) * (1 / far);
        if (order == 2) {
            return {.value = first, .slope = farSlope, .curvature = {}};
        }
        if (!settings_.method.isHeun) {
            return {.value = first, .slope = farSlope, .curvature = {}, .isSlopeExact = true};
        }
        const float near = (level(call - 1).lambda - begin) / distance;
        const at::Tensor nearSlope = (before_.ago(1) - first) * (1 / near);
        return {.value = first,
                .slope = (nearSlope * far - farSlope * near) / (far - near),
                .curvature = (farSlope - nearSlope) * 2 / (far - near),
                .isSlopeExact = true};
    }

    SinglestepSettings settings_;
    std::vector<int64_t> orders_;
    History before_;    ///< clean latents of the calls before
    at::Tensor begin_;  ///< latents that the group began with
};

SamplerFacts singlestepFacts(const Json& config) {
    const JsonReader reader = schedulerReader(config);
    const bool isStochastic = readDpmMethod(reader).isStochastic;
    return {.label = "DPM++ " + std::to_string(readSolverOrder(reader)) + "S" +
                     (isStochastic ? " SDE" : ""),
            .drawsNoise = isStochastic};
}

std::unique_ptr<Sampler> makeDpmSinglestep(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    SinglestepSettings settings{.common =
                                    readSchedulerConfig(config, kDpmSinglestepClass, options)};
    settings.order = readSolverOrder(reader);
    settings.method = readDpmMethod(reader);
    settings.lowerOrderFinal = reader.boolean("lower_order_final").value_or(false);
    settings.grid.lambdaMinClipped =
        reader.number("lambda_min_clipped").value_or(settings.grid.lambdaMinClipped);
    return std::make_unique<DpmSinglestep>(settings, options);
}

}  // namespace

SamplerType dpmpp_single() {
    return {.name = "dpmpp_single",
            .label = kDpmSinglestepClass.label,
            .schedulerClass = "DPMSolverSinglestepScheduler",
            .named = {{"algorithm_type", "dpmsolver++"}, {"solver_order", 2}},
            .readsZeroSnr = kDpmSinglestepClass.hasZeroSnr,
            .facts = singlestepFacts,
            .make = makeDpmSinglestep};
}

}  // namespace lowtide::sampling
