// Multistep samplers other than DPM++: LMS, DEIS and UniPC.

#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lowtide::sampling {

namespace {

const SchedulerClass kLmsClass = {
    .label = "LMS", .hasSigmaSpreads = true, .hasEdm = true, .hasFlow = true};

constexpr int kOrder = 4;

/// Linear multistep method (Adams-Bashforth on uneven sigmas) along dx/dsigma. Source: k-diffusion
/// sample_lms; values: LMSDiscreteScheduler.
class Lms final : public SigmaSampler {
public:
    Lms(const SchedulerConfig& config, const ScheduleOptions& options)
        : SigmaSampler(config, options) {
        requireFalling(schedule());
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const float level = sigma(call);
        const at::Tensor slope = (latents - clean(prediction, latents, level)) / level;
        const int order = std::min(call + 1, kOrder);
        at::Tensor way = slope * weight(call, 0, order);
        for (int ago = 1; ago < order && static_cast<size_t>(ago) <= slopes_.size(); ++ago) {
            way = way + slopes_.ago(static_cast<size_t>(ago)) * weight(call, ago, order);
        }
        slopes_.push(slope);
        return latents + way;
    }

    void save(tensor::SamplerCarry& carry) const override { carry.history = slopes_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { slopes_.restore(carry.history); }

    int historyLength() const override { return kOrder - 1; }

private:
    /// Value at `at` of the polynomial that is 1 at the sigma of `ago` calls ago and 0 at those of
    /// the other `order` - 1.
    [[nodiscard]] double lagrange(double at, int call, int ago, int order) const {
        const double own = sigma(call - ago);
        double value = 1;
        for (int other = 0; other < order; ++other) {
            if (other != ago) {
                const double zero = sigma(call - other);
                value *= (at - zero) / (own - zero);
            }
        }
        return value;
    }

    /// Its integral over the step: Gauss' rule with two points, exact for the third degree.
    [[nodiscard]] double weight(int call, int ago, int order) const {
        const double from = sigma(call);
        const double to = sigma(call + 1);
        const double middle = (from + to) / 2;
        const double half = (to - from) / 2;
        const double position = half / std::sqrt(3.0);
        return half * (lagrange(middle - position, call, ago, order) +
                       lagrange(middle + position, call, ago, order));
    }

    History slopes_{kOrder - 1};
};

std::unique_ptr<Sampler> makeLms(const Json& config, const ScheduleOptions& options) {
    SchedulerConfig settings = readSchedulerConfig(config, kLmsClass, options);
    if (settings.spread == SigmaSpread::Karras) {  // this class leaves the file's bounds out there
        settings.sigmaMin.reset();
        settings.sigmaMax.reset();
    }
    return std::make_unique<Lms>(settings, options);
}

}  // namespace

SamplerType lms() {
    return {.name = "lms",
            .label = kLmsClass.label,
            .schedulerClass = "LMSDiscreteScheduler",
            .readsZeroSnr = kLmsClass.hasZeroSnr,
            .make = makeLms};
}

namespace {

const SchedulerClass kDeisClass = {.label = "DEIS",
                                   .hasSigmaSpreads = true,
                                   .hasEdm = true,
                                   .hasFlow = true,
                                   .karrasTimesteps = KarrasTimesteps::Integer};

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

namespace {

const SchedulerClass kUniPcClass = {.label = "UniPC",
                                    .hasSigmaSpreads = true,
                                    .hasFinalSigma = true,
                                    .hasZeroSnr = true,
                                    .hasEdm = true,
                                    .hasFlow = true,
                                    .karrasTimesteps = KarrasTimesteps::Integer};

struct UniPcSettings {
    SchedulerConfig common;
    int64_t order = 2;
    bool lowerOrderFinal = true;
    bool isBh1 = false;                ///< B(h) = h; else e^h - 1
    std::vector<int64_t> uncorrected;  ///< steps that are not corrected
};

/// Numbers of one move between two levels.
struct Move {
    Level from;
    Level to;
    float distance;
    float growth;    ///< e^-distance - 1
    float variable;  ///< B(h)
};

/// Unified predictor-corrector: every call first corrects the step that led to it and then
/// predicts the next. Source: Zhao et al. 2023 (arXiv 2302.04867), algorithms 5 and 6 in the clean
/// latents; values: UniPCMultistepScheduler.
class UniPc final : public LogSnrSolver {
public:
    UniPc(const UniPcSettings& settings, const ScheduleOptions& options)
        : LogSnrSolver(
              settings.common, {.repeatsLastSigma = true, .flow = FlowTimesteps::UniPc}, options),
          settings_(settings),
          before_(static_cast<size_t>(settings.order)) {}

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const at::Tensor current = cleanAt(prediction, latents, call);
        const auto& skipped = settings_.uncorrected;
        const bool corrects = begin_.defined() &&
                              std::find(skipped.begin(), skipped.end(), call - 1) == skipped.end();
        begin_ = corrects ? corrected(current, call) : latents;
        before_.push(current);
        order_ = orderOf(call);
        return predicted(call);
    }

    void save(tensor::SamplerCarry& carry) const override {
        carry.history = before_.entries();
        if (begin_.defined()) {
            carry.history.push_back(begin_);
        }
        carry.scalars = {static_cast<double>(order_)};
    }

    void restore(const tensor::SamplerCarry& carry) override {
        requireCarried(carry.scalars.size() == 1,
                       message("{} numbers instead of 1", carry.scalars.size()));
        std::vector<at::Tensor> entries = carry.history;
        order_ = static_cast<int64_t>(carry.scalars.front());
        if (!entries.empty()) {
            begin_ = entries.back();
            entries.pop_back();
        }
        before_.restore(entries);
        requireCarried(order_ >= 0 && order_ <= static_cast<int64_t>(entries.size()),
                       message("order {} with {} predictions", order_, entries.size()));
    }

    int historyLength() const override { return static_cast<int>(settings_.order) + 1; }

private:
    [[nodiscard]] int64_t orderOf(int call) const {
        const int64_t left = callCount() - call;
        const int64_t known = std::min(settings_.order, static_cast<int64_t>(before_.size()));
        return goesToZero(call) ? 1 : (settings_.lowerOrderFinal ? std::min(known, left) : known);
    }

    [[nodiscard]] Move moveFrom(int call) const {
        const Level from = level(call);
        const Level to = level(call + 1);
        const float distance = to.lambda - from.lambda;
        const float growth = exponentialMinusOne(-distance);
        return {.from = from,
                .to = to,
                .distance = distance,
                .growth = growth,
                .variable = settings_.isBh1 ? -distance : growth};
    }

    /// Positions of the calls before `call` in its move (it is 0, the end is 1), and the end.
    [[nodiscard]] std::vector<float> positionsOf(int call, const Move& move) const {
        std::vector<float> positions;
        for (int ago = 1; ago < order_; ++ago) {
            positions.push_back((level(call - ago).lambda - move.from.lambda) / move.distance);
        }
        positions.push_back(1);
        return positions;
    }

    /// The weights of the differences at `positions` that make the first `positions.size()` moments
    /// of the move right. A small system of linear equations in float32, solved as the reference
    /// does.
    [[nodiscard]] static std::vector<float> weightsFor(const std::vector<float>& positions,
                                                       const Move& move) {
        const at::Tensor points = floatValues(positions);
        const float h = -move.distance;
        std::vector<at::Tensor> rows;
        std::vector<float> moments;
        float phi = move.growth / h - 1;
        int64_t factorial = 1;
        for (size_t power = 0; power < positions.size(); ++power) {
            rows.push_back(at::pow(points, static_cast<double>(power)));
            moments.push_back(phi * static_cast<float>(factorial) / move.variable);
            factorial *= static_cast<int64_t>(power) + 2;
            phi = phi / h - static_cast<float>(1.0 / static_cast<double>(factorial));
        }
        return floatsOf(at::linalg_solve(at::stack(rows), floatValues(moments)));
    }

    /// The latents after a move of first order from `begin_`.
    [[nodiscard]] at::Tensor firstOrder(const Move& move, const at::Tensor& origin) const {
        return begin_ * (move.to.noise / move.from.noise) - origin * (move.to.signal * move.growth);
    }

    /// Sum of the weighted differences between the calls before and the move's origin; undefined
    /// for none. `weights` may be one longer.
    [[nodiscard]] at::Tensor differences(const at::Tensor& origin,
                                         size_t originAgo,
                                         const std::vector<float>& positions,
                                         const std::vector<float>& weights) const {
        at::Tensor sum;
        for (size_t i = 0; i + 1 < positions.size(); ++i) {
            const at::Tensor part =
                (before_.ago(originAgo + i + 1) - origin) / positions[i] * weights[i];
            sum = sum.defined() ? sum + part : part;
        }
        return sum;
    }

    /// From `begin_` at call `call`, whose clean latents are the newest.
    [[nodiscard]] at::Tensor predicted(int call) const {
        const Move move = moveFrom(call);
        const at::Tensor& origin = before_.ago(1);
        const at::Tensor moved = firstOrder(move, origin);
        if (order_ == 1) {
            return moved;
        }
        const std::vector<float> positions = positionsOf(call, move);
        const std::vector<float> weights =
            order_ == 2 ? std::vector<float>{0.5F}
                        : weightsFor({positions.begin(), positions.end() - 1}, move);
        return moved -
               differences(origin, 1, positions, weights) * (move.to.signal * move.variable);
    }

    /// The latents of call `call`, had the step to them known their clean latents.
    [[nodiscard]] at::Tensor corrected(const at::Tensor& current, int call) const {
        const Move move = moveFrom(call - 1);
        const at::Tensor& origin = before_.ago(1);
        const std::vector<float> positions = positionsOf(call - 1, move);
        const std::vector<float> weights =
            order_ == 1 ? std::vector<float>{0.5F} : weightsFor(positions, move);
        const at::Tensor known = differences(origin, 1, positions, weights);
        const at::Tensor now = (current - origin) * weights.back();
        return firstOrder(move, origin) -
               (known.defined() ? known + now : now) * (move.to.signal * move.variable);
    }

    UniPcSettings settings_;
    History before_;     ///< clean latents of the calls before, and of this one
    at::Tensor begin_;   ///< corrected latents of the newest of them
    int64_t order_ = 0;  ///< of the step that led on from there
};

std::unique_ptr<Sampler> makeUniPc(const Json& config, const ScheduleOptions& options) {
    const JsonReader reader = schedulerReader(config);
    if (!reader.boolean("predict_x0").value_or(true)) {
        refuseSetting("predict_x0", "false", message("true"));
    }
    if (const Json* predictor = reader.member("solver_p"); predictor && !predictor->is_null()) {
        refuseSetting("solver_p", message("a predictor of its own"), message("none"));
    }
    const std::string solver =
        readKind(reader, "solver_type", {"bh2", "bh1"}, {"midpoint", "heun", "logrho"});
    return std::make_unique<UniPc>(
        UniPcSettings{
            .common = readSchedulerConfig(config, kUniPcClass, options),
            .order = readSolverOrder(reader),
            .lowerOrderFinal = reader.boolean("lower_order_final").value_or(true),
            .isBh1 = solver == "bh1",
            .uncorrected = reader.integers("disable_corrector").value_or(std::vector<int64_t>{})},
        options);
}

}  // namespace

SamplerType unipc() {
    return {.name = "unipc",
            .label = kUniPcClass.label,
            .schedulerClass = "UniPCMultistepScheduler",
            .readsZeroSnr = kUniPcClass.hasZeroSnr,
            .make = makeUniPc};
}

}  // namespace lowtide::sampling
