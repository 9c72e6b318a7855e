#include "plugin/sampling/float_math.hpp"
#include "plugin/sampling/history.hpp"
#include "plugin/sampling/log_snr_solver.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::sampling {

namespace {

const SchedulerClass kUniPcClass = {.label = "UniPC",
                                    .hasSigmaSpreads = true,
                                    .hasFinalSigma = true,
                                    .hasZeroSnr = true,
                                    .hasEdm = true,
                                    .hasFlow = true,
                                    .karrasTimesteps = KarrasTimesteps::Whole};

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
              settings.common, {.repeatsLastSigma = true, .flow = FlowPlaces::UniPc}, options),
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
                       std::to_string(carry.scalars.size()) + " numbers instead of 1");
        std::vector<at::Tensor> entries = carry.history;
        order_ = static_cast<int64_t>(carry.scalars.front());
        if (!entries.empty()) {
            begin_ = entries.back();
            entries.pop_back();
        }
        before_.restore(entries);
        requireCarried(order_ >= 0 && order_ <= static_cast<int64_t>(entries.size()),
                       "order " + std::to_string(order_) + " with " +
                           std::to_string(entries.size()) + " predictions");
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

    /// Places of the calls before `call` in its move (it is 0, the end is 1), and the end.
    [[nodiscard]] std::vector<float> placesOf(int call, const Move& move) const {
        std::vector<float> places;
        for (int ago = 1; ago < order_; ++ago) {
            places.push_back((level(call - ago).lambda - move.from.lambda) / move.distance);
        }
        places.push_back(1);
        return places;
    }

    /// The weights of the differences at `places` that make the first `places.size()` moments of
    /// the move right. A small system of linear equations in float32, solved as the reference does.
    [[nodiscard]] static std::vector<float> weightsFor(const std::vector<float>& places,
                                                       const Move& move) {
        const at::Tensor points = floatValues(places);
        const float h = -move.distance;
        std::vector<at::Tensor> rows;
        std::vector<float> moments;
        float phi = move.growth / h - 1;
        int64_t factorial = 1;
        for (size_t power = 0; power < places.size(); ++power) {
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
                                         const std::vector<float>& places,
                                         const std::vector<float>& weights) const {
        at::Tensor sum;
        for (size_t i = 0; i + 1 < places.size(); ++i) {
            const at::Tensor part =
                (before_.ago(originAgo + i + 1) - origin) / places[i] * weights[i];
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
        const std::vector<float> places = placesOf(call, move);
        const std::vector<float> weights =
            order_ == 2 ? std::vector<float>{0.5F}
                        : weightsFor({places.begin(), places.end() - 1}, move);
        return moved - differences(origin, 1, places, weights) * (move.to.signal * move.variable);
    }

    /// The latents of call `call`, had the step to them known their clean latents.
    [[nodiscard]] at::Tensor corrected(const at::Tensor& current, int call) const {
        const Move move = moveFrom(call - 1);
        const at::Tensor& origin = before_.ago(1);
        const std::vector<float> places = placesOf(call - 1, move);
        const std::vector<float> weights =
            order_ == 1 ? std::vector<float>{0.5F} : weightsFor(places, move);
        const at::Tensor known = differences(origin, 1, places, weights);
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
        refuseSetting("predict_x0", "false", "true");
    }
    if (const Json* predictor = reader.member("solver_p"); predictor && !predictor->is_null()) {
        refuseSetting("solver_p", "a predictor of its own", "none");
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
