// DPM-Solver with orders of its own choice: along a number of calls, or along an error.

#include "plugin/sampling/solvers/solver.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lowtide::sampling::solvers_list {

namespace {

/// Steps from one log of signal to noise, -log sigma, that share the calls they have in common.
/// Source: Lu et al. 2022 (arXiv 2206.00927), algorithms 1 and 2.
class DpmStep {
public:
    DpmStep(const SolverRun& run, const at::Tensor& latents, double from, double to)
        : run_(run), latents_(latents), from_(from), length_(to - from) {
        slope_ = noiseAt(latents, from, 0);
    }

    [[nodiscard]] at::Tensor first() const { return latents_ - slope_ * growth(1); }

    [[nodiscard]] at::Tensor second(double point) {
        const at::Tensor difference = inside(point) - slope_;
        return first() - difference * (growth(1) / (2 * point));
    }

    [[nodiscard]] at::Tensor third() {
        constexpr double kNear = 1.0 / 3;
        constexpr double kFar = 2.0 / 3;
        const at::Tensor difference = inside(kNear) - slope_;
        const at::Tensor far =
            latents_ - slope_ * growth(kFar) - difference * (kFar / kNear * bend(kFar));
        const at::Tensor farDifference = noiseAt(far, from_ + kFar * length_, 2) - slope_;
        return first() - farDifference * (bend(1) / kFar);
    }

private:
    /// e^(-end) (e^(part) - 1) of a fraction of the step.
    [[nodiscard]] double growth(double fraction) const {
        return std::exp(-from_ - fraction * length_) * std::expm1(fraction * length_);
    }

    [[nodiscard]] double bend(double fraction) const {
        const double part = fraction * length_;
        return std::exp(-from_ - part) * (std::expm1(part) / part - 1);
    }

    [[nodiscard]] at::Tensor noiseAt(const at::Tensor& latents, double at, int stage) const {
        const double sigma = std::exp(-at);
        return (latents - run_.clean(latents, sigma, stage)) / sigma;
    }

    /// The noise inside of the step; the two orders of one step have the same point.
    [[nodiscard]] const at::Tensor& inside(double point) {
        if (!inside_.defined()) {
            inside_ = noiseAt(latents_ - slope_ * growth(point), from_ + point * length_, 1);
        }
        return inside_;
    }

    const SolverRun& run_;
    const at::Tensor& latents_;
    double from_;
    double length_;
    at::Tensor slope_;
    at::Tensor inside_;
};

/// Where the way ends: at the last level above 0, in -log sigma.
double wayEnd(const SolverRun& run) {
    const double last = run.sigmas.back();
    return -std::log(last > 0 ? last : run.sigmas[run.steps() - 1]);
}

/// The steps are a number of calls, which are parted into steps of order 3 and one or two of lower
/// order. Source: Lu et al. 2022, DPM-Solver-fast (appendix D.3).
at::Tensor solveFast(const SolverRun& run, at::Tensor latents) {
    const double start = -std::log(run.sigmas.front());
    const double end = wayEnd(run);
    const size_t calls = run.steps();
    std::vector<int> orders(calls / 3, 3);
    if (calls % 3 == 0) {
        orders.back() = 2;
        orders.push_back(1);
    } else {
        orders.push_back(static_cast<int>(calls % 3));
    }
    const double length = (end - start) / static_cast<double>(orders.size());
    for (size_t i = 0; i < orders.size(); ++i) {
        constexpr double kHalf = 0.5;
        const double from = start + static_cast<double>(i) * length;
        DpmStep step(run, latents, from, from + length);
        latents = orders[i] == 1   ? step.first()
                  : orders[i] == 2 ? step.second(kHalf)
                                   : step.third();
    }
    return latents;
}

/// Root mean square of the difference between two orders, over what is tolerated.
double errorBetween(const at::Tensor& low, const at::Tensor& high, const at::Tensor& before) {
    constexpr double kAbsolute = 0.0078;
    constexpr double kRelative = 0.05;
    if (low.is_meta()) {
        return 0;  // a dry run takes every step
    }
    const at::Tensor tolerated =
        at::clamp_min(at::maximum(low.abs(), before.abs()) * kRelative, kAbsolute);
    return std::sqrt(tensor::scalar(at::square((low - high) / tolerated).mean()));
}

/// Steps as long as an error allows. Source: Lu et al. 2022, DPM-Solver-12 and -23 (appendix C),
/// with the control of Soederlind 2003.
at::Tensor solveAdaptive(const SolverRun& run, at::Tensor latents) {
    constexpr double kFirstLength = 0.05;
    constexpr double kNearEnd = 1e-5;
    constexpr double kAccepted = 0.81;
    constexpr double kPoint = 1.0 / 3;
    double at = -std::log(run.sigmas.front());
    const double end = wayEnd(run);
    double length = kFirstLength;
    at::Tensor before = latents;
    while (at < end - kNearEnd) {
        const double to = std::min(end, at + length);
        DpmStep step(run, latents, at, to);
        const at::Tensor low = step.second(kPoint);
        const at::Tensor high = step.third();
        const double error = errorBetween(low, high, before);
        const double factor = 1 + std::atan(std::cbrt(1 / (error + 1e-8)) - 1);
        if (!(factor < kAccepted)) {  // latents that are no numbers end the way
            before = low;
            latents = high;
            at = to;
        }
        length *= factor;
    }
    return latents;
}

}  // namespace

SolverType dpm_fast() {
    return {.name = "dpm_fast", .label = "DPM fast", .solve = solveFast};
}

SolverType dpm_adaptive() {
    return {.name = "dpm_adaptive",
            .label = "DPM adaptive",
            .solve = solveAdaptive,
            .choosesSteps = true};
}

}  // namespace lowtide::sampling::solvers_list
