// The DPM-Solver++ samplers: multistep of second and third order, along the ODE or the SDE, and
// singlestep.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling {

/// How the DPM-Solver++ classes integrate: along the ODE or with fresh noise on every step (SDE),
/// and how they weigh a slope: by half the step's own weight (midpoint) or exactly (heun).
struct DpmMethod {
    bool isStochastic = false;
    bool isHeun = false;
};

/// The clean latents along a step as a polynomial in lambda: value where it begins and, when they
/// are defined, the first two derivatives times the step's length and its square.
struct DpmPolynomial {
    at::Tensor value;
    at::Tensor slope;
    at::Tensor curvature;
    bool isSlopeExact = false;  ///< the slope is weighed exactly, whatever the method
};

/// Reads algorithm_type and solver_type; Error{Unsupported} for those that are not built.
[[nodiscard]] DpmMethod readDpmMethod(const JsonReader& reader);

/// The latents at `to` from those at `from`; `noise` is read by stochastic methods only.
/// Source: Lu et al. 2022 (arXiv 2211.01095), eq. 8 and 18; values: DPMSolverMultistepScheduler.
[[nodiscard]] at::Tensor dpmUpdate(const DpmMethod& method,
                                   const at::Tensor& latents,
                                   const Level& from,
                                   const Level& to,
                                   const DpmPolynomial& clean,
                                   const at::Tensor& noise);

/// Whether the class knows rescale_betas_zero_snr.
inline constexpr bool kMultistepReadsZeroSnr = true;

/// The class for models with the noise levels of EDM.
inline constexpr const char* kEdmMultistepClass = "EDMDPMSolverMultistepScheduler";

/// Order and algorithm of a file: "DPM++ 3M SDE". Errors name the setting.
[[nodiscard]] SamplerFacts multistepFacts(const Json& config);

/// A sampler with the settings of DPMSolverMultistepScheduler: `changes` replace those of `config`.
/// `label` is for messages.
[[nodiscard]] std::unique_ptr<Sampler> makeDpmMultistep(const Json& config,
                                                        const Json& changes,
                                                        const std::string& label,
                                                        const ScheduleOptions& options);

namespace {

at::Tensor deterministic(const DpmMethod& method,
                         const at::Tensor& latents,
                         const Level& from,
                         const Level& to,
                         const DpmPolynomial& clean) {
    const float distance = to.lambda - from.lambda;
    const float decay = exponential(-distance) - 1;
    const float factor = to.signal * decay;
    at::Tensor moved = latents * (to.noise / from.noise) - clean.value * factor;
    if (!clean.slope.defined()) {
        return moved;
    }
    if (!method.isHeun && !clean.isSlopeExact) {
        return moved - clean.slope * (0.5F * factor);
    }
    moved = moved + clean.slope * (to.signal * (decay / distance + 1));
    if (!clean.curvature.defined()) {
        return moved;
    }
    const float weight = (decay + distance) / (distance * distance) - 0.5F;
    return moved - clean.curvature * (to.signal * weight);
}

at::Tensor stochastic(const DpmMethod& method,
                      const at::Tensor& latents,
                      const Level& from,
                      const Level& to,
                      const DpmPolynomial& clean,
                      const at::Tensor& noise) {
    const float distance = to.lambda - from.lambda;
    const float twice = 2 * distance;
    const float gain = 1 - exponential(-twice);
    at::Tensor moved = latents * (to.noise / from.noise * exponential(-distance)) +
                       clean.value * (to.signal * gain);
    if (clean.slope.defined()) {
        const bool isHalf = !method.isHeun && !clean.isSlopeExact;
        const float weight = isHalf ? 0.5F * (to.signal * gain) : to.signal * (gain / -twice + 1);
        moved = moved + clean.slope * weight;
    }
    if (clean.curvature.defined()) {
        const float weight = (gain - twice) / (twice * twice) - 0.5F;
        moved = moved + clean.curvature * (to.signal * weight);
    }
    return moved + noise * (to.noise * std::sqrt(gain));
}

}  // namespace

DpmMethod readDpmMethod(const JsonReader& reader) {
    const std::string algorithm =
        readKind(reader, "algorithm_type", {"dpmsolver++", "sde-dpmsolver++"}, {"deis"});
    const std::string solver =
        readKind(reader, "solver_type", {"midpoint", "heun"}, {"logrho", "bh1", "bh2"});
    if (const auto variance = reader.text("variance_type");
        variance == "learned" || variance == "learned_range") {
        refuseSetting("variance_type", *variance, message("models that predict no variance"));
    }
    return {.isStochastic = algorithm == "sde-dpmsolver++", .isHeun = solver == "heun"};
}

at::Tensor dpmUpdate(const DpmMethod& method,
                     const at::Tensor& latents,
                     const Level& from,
                     const Level& to,
                     const DpmPolynomial& clean,
                     const at::Tensor& noise) {
    return method.isStochastic ? stochastic(method, latents, from, to, clean, noise)
                               : deterministic(method, latents, from, to, clean);
}

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
                                 .karrasTimesteps = KarrasTimesteps::IntegerUnlessCosine};
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

namespace {

constexpr const char* kDpmpp2mLabel = "DPM++ 2M";

std::unique_ptr<Sampler> makeDpmpp2m(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, Json::object(), kDpmpp2mLabel, options);
}

}  // namespace

SamplerType dpmpp_2m() {
    return {.name = "dpmpp_2m",
            .label = kDpmpp2mLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .otherClasses = {kEdmMultistepClass},
            .named = {{"algorithm_type", "dpmsolver++"}, {"solver_order", 2}},
            .readsZeroSnr = kMultistepReadsZeroSnr,
            .facts = multistepFacts,
            .make = makeDpmpp2m};
}

namespace {

constexpr const char* kDpmpp2mSdeLabel = "DPM++ 2M SDE";
const Json kDpmpp2mSdeSettings = {{"algorithm_type", "sde-dpmsolver++"}};

std::unique_ptr<Sampler> makeDpmpp2mSde(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, kDpmpp2mSdeSettings, kDpmpp2mSdeLabel, options);
}

}  // namespace

SamplerType dpmpp_2m_sde() {
    return {.name = "dpmpp_2m_sde",
            .label = kDpmpp2mSdeLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .otherClasses = {kEdmMultistepClass},
            .settings = kDpmpp2mSdeSettings,
            .named = {{"algorithm_type", "sde-dpmsolver++"}, {"solver_order", 2}},
            .drawsNoise = true,
            .readsZeroSnr = kMultistepReadsZeroSnr,
            .facts = multistepFacts,
            .make = makeDpmpp2mSde};
}

namespace {

constexpr const char* kDpmpp3mLabel = "DPM++ 3M";
const Json kDpmpp3mSettings = {{"solver_order", 3}};

std::unique_ptr<Sampler> makeDpmpp3m(const Json& config, const ScheduleOptions& options) {
    return makeDpmMultistep(config, kDpmpp3mSettings, kDpmpp3mLabel, options);
}

}  // namespace

SamplerType dpmpp_3m() {
    return {.name = "dpmpp_3m",
            .label = kDpmpp3mLabel,
            .schedulerClass = "DPMSolverMultistepScheduler",
            .otherClasses = {kEdmMultistepClass},
            .settings = kDpmpp3mSettings,
            .named = {{"algorithm_type", "dpmsolver++"}, {"solver_order", 3}},
            .readsZeroSnr = kMultistepReadsZeroSnr,
            .facts = multistepFacts,
            .make = makeDpmpp3m};
}

namespace {

const SchedulerClass kDpmSinglestepClass = {.label = "DPM++ 2S",
                                            .hasSpacing = false,
                                            .hasSigmaSpreads = true,
                                            .hasFinalSigma = true,
                                            .hasEdm = true,
                                            .hasFlow = true,
                                            .karrasTimesteps = KarrasTimesteps::Integer};

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
/// again from where it began, with one order more at each call. Source: Lu et al. 2022 (arXiv
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
