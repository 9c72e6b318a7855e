// SA-Solver: stochastic Adams methods, a predictor of third order and a corrector of fourth.

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace lowtide::sampling::solvers_list {

namespace {

/// Integrals of (1 + tau^2) e^((1 + tau^2) u) u^m over a step that ends at u = 0.
std::vector<double> moments(double length, double rate, size_t count) {
    std::vector<double> values = {-std::expm1(-rate * length)};
    for (size_t m = 1; m < count; ++m) {
        const auto power = static_cast<double>(m);
        values.push_back(-std::pow(-length, power) * std::exp(-rate * length) -
                         power / rate * values.back());
    }
    return values;
}

/// Coefficients, lowest power first, of the polynomial that is 1 at `positions[j]`, 0 at the
/// others.
std::vector<double> lagrangeCoefficients(const std::vector<double>& positions, size_t j) {
    std::vector<double> polynomial = {1};
    for (size_t k = 0; k < positions.size(); ++k) {
        if (k == j) {
            continue;
        }
        polynomial.push_back(0);
        for (size_t i = polynomial.size(); i-- > 0;) {
            polynomial[i] = ((i > 0 ? polynomial[i - 1] : 0) - positions[k] * polynomial[i]) /
                            (positions[j] - positions[k]);
        }
    }
    return polynomial;
}

/// A step's own numbers: predictor and corrector take the same one.
struct StochasticStep {
    double from = 0;
    double to = 0;
    double tau = 0;  ///< 1 where the step is stochastic
    at::Tensor noise;
};

/// Clean latents of the calls before with their levels, newest first.
struct KnownCall {
    double logSnr;
    at::Tensor clean;
};

using KnownCalls = std::deque<KnownCall>;

/// Source: Xue et al. 2023 (arXiv 2309.05019), eq. 14 and 17.
at::Tensor adamsStep(const SolverRun& run,
                     const StochasticStep& step,
                     const at::Tensor& latents,
                     const KnownCalls& known,
                     size_t order) {
    const double end = run.logSnr(step.to);
    const double length = end - run.logSnr(step.from);
    const double variance = step.tau * step.tau;
    const std::vector<double> integrals = moments(length, 1 + variance, order);
    std::vector<double> positions;
    for (size_t j = 0; j < order; ++j) {
        positions.push_back(known[j].logSnr - end);
    }
    at::Tensor result = latents * (step.to / step.from * std::exp(-variance * length));
    for (size_t j = 0; j < order; ++j) {
        const std::vector<double> polynomial = lagrangeCoefficients(positions, j);
        double weight = 0;
        for (size_t m = 0; m < order; ++m) {
            weight += polynomial[m] * integrals[m];
        }
        result = result + known[j].clean * (run.signal(step.to) * weight);
    }
    return step.tau > 0
               ? result + step.noise * (step.to * std::sqrt(-std::expm1(-2 * variance * length)))
               : result;
}

enum class Evaluations : uint8_t {
    Once,
    Twice  ///< the network is asked once more at what was corrected
};

at::Tensor solveAdams(const SolverRun& run, at::Tensor latents, Evaluations evaluations) {
    constexpr size_t kPredictor = 3;
    constexpr size_t kCorrector = 4;
    const std::vector<double> sigmas = run.withSignal();
    const double highest = run.sigmaAfter(0.2);
    const double lowest = run.sigmaAfter(0.8);
    const bool endsClean = sigmas.back() == 0;
    const bool evaluatesTwice = evaluations == Evaluations::Twice;
    const auto ordered = [&](size_t most, size_t left) {
        return endsClean ? std::min(most, left) : most;
    };
    KnownCalls known;
    StochasticStep before;
    at::Tensor begin;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = sigmas[i];
        const double to = sigmas[i + 1];
        known.push_front({run.logSnr(from), run.clean(latents, from)});
        if (known.size() > kCorrector) {
            known.pop_back();
        }
        if (i > 0 && (to > 0 || evaluatesTwice)) {
            latents = adamsStep(run, before, begin, known, ordered(known.size(), run.steps() - i));
            if (evaluatesTwice) {
                known.front().clean = run.clean(latents, from, 1);
            }
        }
        if (to == 0) {
            latents = known.front().clean;
            continue;
        }
        // A dry run takes the first steps alone, and holds what any of them does.
        const bool isStochastic = latents.is_meta() || (to >= lowest && to <= highest);
        before = {.from = from,
                  .to = to,
                  .tau = isStochastic ? 1.0 : 0.0,
                  .noise = isStochastic ? run.noise(from, to) : at::Tensor()};
        begin = latents;
        latents = adamsStep(run,
                            before,
                            begin,
                            known,
                            ordered(std::min(known.size(), kPredictor), run.steps() - 1 - i));
    }
    return latents;
}

at::Tensor solveAdamsOnce(const SolverRun& run, at::Tensor latents) {
    return solveAdams(run, std::move(latents), Evaluations::Once);
}

at::Tensor solveAdamsTwice(const SolverRun& run, at::Tensor latents) {
    return solveAdams(run, std::move(latents), Evaluations::Twice);
}

}  // namespace

SolverType sa_solver() {
    return {.name = "sa_solver",
            .label = "SA-Solver",
            .solve = solveAdamsOnce,
            .noise = SolverNoise::Fresh};
}

SolverType sa_solver_pece() {
    return {.name = "sa_solver_pece",
            .label = "SA-Solver PECE",
            .solve = solveAdamsTwice,
            .noise = SolverNoise::Fresh};
}

}  // namespace lowtide::sampling::solvers_list
