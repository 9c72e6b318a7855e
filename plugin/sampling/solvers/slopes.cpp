// Solvers along dx/dsigma: Euler, Heun, DPM2, and multistep ones.

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <deque>
#include <span>
#include <vector>

namespace lowtide::sampling::solvers_list {

namespace {

at::Tensor slopeAt(const SolverRun& run, const at::Tensor& latents, double sigma, int stage = 0) {
    return (latents - run.clean(latents, sigma, stage)) / sigma;
}

/// Source: Karras et al. 2022 (arXiv 2206.00364), algorithm 2 without churn.
at::Tensor solveEuler(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        latents = latents + slopeAt(run, latents, from) * (run.sigmas[i + 1] - from);
    }
    return latents;
}

/// Source: Karras et al. 2022, algorithm 1.
at::Tensor solveHeun(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        at::Tensor slope = slopeAt(run, latents, from);
        if (to > 0) {
            slope = (slope + slopeAt(run, latents + slope * (to - from), to, 1)) / 2;
        }
        latents = latents + slope * (to - from);
    }
    return latents;
}

/// Slopes at the next two levels, weighted by the levels themselves. Source: the thesis of Li
/// (Heun++, 2023); weights as recorded from ComfyUI.
at::Tensor solveHeunPlus(const SolverRun& run, at::Tensor latents) {
    const double first = run.sigmas.front();
    const double last = run.sigmas.back();
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        at::Tensor slope = slopeAt(run, latents, from);
        if (to != last) {
            const double beyond = run.sigmas[i + 2];
            const at::Tensor second = latents + slope * (to - from);
            const at::Tensor secondSlope = slopeAt(run, second, to, 1);
            if (beyond == last) {
                const double weight = to / (2 * first);
                slope = slope * (1 - weight) + secondSlope * weight;
            } else {
                const at::Tensor third = second + secondSlope * (beyond - to);
                const double weight = to / (3 * first);
                const double beyondWeight = beyond / (3 * first);
                slope = slope * (1 - weight - beyondWeight) + secondSlope * weight +
                        slopeAt(run, third, beyond, 2) * beyondWeight;
            }
        }
        latents = latents + slope * (to - from);
    }
    return latents;
}

/// Source: Lu et al. 2022 (arXiv 2206.00927), DPM-Solver-2 with the middle even in log sigma.
at::Tensor solveDpm2(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        at::Tensor slope = slopeAt(run, latents, from);
        if (to > 0) {
            const double middle = std::sqrt(from * to);
            slope = slopeAt(run, latents + slope * (middle - from), middle, 1);
        }
        latents = latents + slope * (to - from);
    }
    return latents;
}

/// Slopes of the calls before, newest first.
using Slopes = std::deque<at::Tensor>;

void remember(Slopes& slopes, const at::Tensor& slope, size_t most) {
    slopes.push_front(slope);
    if (slopes.size() > most) {
        slopes.pop_back();
    }
}

at::Tensor weighted(const Slopes& slopes, const std::vector<double>& weights) {
    at::Tensor sum = slopes.front() * weights.front();
    for (size_t j = 1; j < weights.size(); ++j) {
        sum = sum + slopes[j] * weights[j];
    }
    return sum;
}

/// The levels of calls i, i - 1, ..., `count` of them.
std::vector<double> levelsBefore(const SolverRun& run, size_t i, size_t count) {
    std::vector<double> levels;
    for (size_t j = 0; j < count; ++j) {
        levels.push_back(run.sigmas[i - j]);
    }
    return levels;
}

/// Integral of a polynomial of third degree at most, exactly (Simpson's rule).
double cubicIntegral(std::span<const double> positions, size_t j, double from, double to) {
    return (to - from) / 6 *
           (lagrange(positions, j, from) + 4 * lagrange(positions, j, (from + to) / 2) +
            lagrange(positions, j, to));
}

/// Adams-Bashforth with the true lengths of steps, up to order 4.
at::Tensor solveLms(const SolverRun& run, at::Tensor latents) {
    constexpr size_t kOrder = 4;
    Slopes slopes;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        remember(slopes, slopeAt(run, latents, from), kOrder);
        std::vector<double> weights;
        if (to == 0) {
            weights = {-from};
        } else {
            const std::vector<double> positions = levelsBefore(run, i, slopes.size());
            for (size_t j = 0; j < positions.size(); ++j) {
                weights.push_back(cubicIntegral(positions, j, from, to));
            }
        }
        latents = latents + weighted(slopes, weights);
    }
    return latents;
}

/// Adams-Bashforth as if steps were of one length. Source: Zhang and Chen 2022 (arXiv 2204.13902),
/// iPNDM.
at::Tensor solveIpndm(const SolverRun& run, at::Tensor latents) {
    static const std::array<std::vector<double>, 4> kWeights = {
        {{1},
         {3.0 / 2, -1.0 / 2},
         {23.0 / 12, -16.0 / 12, 5.0 / 12},
         {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}}};
    Slopes slopes;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        remember(slopes, slopeAt(run, latents, from), kWeights.size());
        const auto& weights = kWeights[to == 0 ? 0 : slopes.size() - 1];
        latents = latents + weighted(slopes, weights) * (to - from);
    }
    return latents;
}

/// Weights of iPNDM for steps of unequal lengths: `steps[0]` is the next one, then those before.
std::vector<double> unequalWeights(const std::vector<double>& steps) {
    const size_t order = steps.size();
    if (order == 1) {
        return {1};
    }
    const double h = steps[0];
    const double h1 = steps[1];
    const double ratio = h / h1;
    std::vector<double> weights = {(2 + ratio) / 2, -ratio / 2};
    if (order == 2) {
        return weights;
    }
    const double h2 = steps[2];
    const double third = (1 - h / (3 * (h + h1)) * (h * (h + h1)) / (h1 * (h1 + h2))) / 2;
    weights[0] += third;
    weights[1] -= (1 + h1 / h2) * third;
    weights.push_back(third * h1 / h2);
    if (order == 3) {
        return weights;
    }
    const double h3 = steps[3];
    const double fourth =
        ((1 - h / (3 * (h + h1))) / 2 + (1 - h / (2 * (h + h1))) * h / (6 * (h + h1 + h2))) *
        (h * (h + h1) * (h + h1 + h2)) / (h1 * (h1 + h2) * (h1 + h2 + h3));
    const double far = h1 * (h1 + h2) / (h2 * (h2 + h3));
    weights[0] += fourth;
    weights[1] -= (1 + h1 / h2 + far) * fourth;
    weights[2] += (h1 / h2 + far * (1 + h2 / h3)) * fourth;
    weights.push_back(-fourth * far * h1 / h2);
    return weights;
}

/// Source: Zhang and Chen 2022, iPNDM with steps of unequal lengths.
at::Tensor solveIpndmV(const SolverRun& run, at::Tensor latents) {
    constexpr size_t kOrder = 4;
    Slopes slopes;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        remember(slopes, slopeAt(run, latents, from), kOrder);
        std::vector<double> lengths = {to - from};
        for (size_t j = 1; to > 0 && j < slopes.size(); ++j) {
            lengths.push_back(run.sigmas[i - j + 1] - run.sigmas[i - j]);
        }
        latents = latents + weighted(slopes, unequalWeights(lengths)) * (to - from);
    }
    return latents;
}

/// The time of the variance-preserving process whose levels go from 0.002 at 0.001 to 80 at 1.
struct DeisTime {
    double difference;  ///< of the betas
    double least;

    DeisTime() {
        constexpr double kEarliest = 0.001;
        const double low = std::log(0.002 * 0.002 + 1);
        const double high = std::log(80.0 * 80 + 1);
        difference = 2 * (low / kEarliest - high) / (kEarliest - 1);
        least = high - difference / 2;
    }

    [[nodiscard]] double at(double sigma) const {
        return (std::sqrt(least * least + 2 * difference * std::log(sigma * sigma + 1)) - least) /
               difference;
    }

    /// What a slope is multiplied by at a time, before the polynomial.
    [[nodiscard]] double rate(double time) const {
        const double signal = std::exp(-difference * time * time / 2 - least * time);
        return 0.5 * (difference * time + least) / std::sqrt(signal * (1 - signal));
    }
};

/// Source: Zhang and Chen 2022, tAB-DEIS of order 3; the integrals as a sum over 10,000 times.
at::Tensor solveDeis(const SolverRun& run, at::Tensor latents) {
    constexpr size_t kOrder = 3;
    constexpr int kParts = 10'000;
    const DeisTime time;
    Slopes slopes;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        remember(slopes, slopeAt(run, latents, from), kOrder);
        if (to == 0 || slopes.size() == 1) {
            latents = latents + slopes.front() * (to - from);
            continue;
        }
        std::vector<double> positions = levelsBefore(run, i, slopes.size());
        for (double& position : positions) {
            position = time.at(position);
        }
        const double start = time.at(from);
        const double length = time.at(to) - start;
        std::vector<double> weights(positions.size(), 0.0);
        for (int part = 0; part < kParts; ++part) {
            const double at = start + length * part / (kParts - 1);
            const double rate = time.rate(at) * length / kParts;
            for (size_t j = 0; j < weights.size(); ++j) {
                weights[j] += rate * lagrange(positions, j, at);
            }
        }
        latents = latents + weighted(slopes, weights);
    }
    return latents;
}

/// Euler's step and once more the difference of the slope (gamma = 2). Source: Permenter and Yuan
/// 2023 (arXiv 2306.04848), algorithm 2.
at::Tensor solveGradientEstimation(const SolverRun& run, at::Tensor latents) {
    at::Tensor before;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const at::Tensor slope = slopeAt(run, latents, from);
        latents = latents + slope * (to - from);
        if (to > 0 && before.defined()) {
            latents = latents + (slope - before) * (to - from);
        }
        before = slope;
    }
    return latents;
}

}  // namespace

SolverType euler() {
    return {.name = "euler", .label = "Euler", .solve = solveEuler};
}

SolverType ddim() {
    return {.name = "ddim", .label = "DDIM", .solve = solveEuler, .keepsLaterNoise = true};
}

SolverType heun() {
    return {.name = "heun", .label = "Heun", .solve = solveHeun};
}

SolverType heunpp2() {
    return {.name = "heunpp2", .label = "Heun++ 2", .solve = solveHeunPlus};
}

SolverType kdpm2() {
    return {.name = "kdpm2", .label = "DPM2", .solve = solveDpm2, .dropsPenultimate = true};
}

SolverType lms() {
    return {.name = "lms", .label = "LMS", .solve = solveLms};
}

SolverType ipndm() {
    return {.name = "ipndm", .label = "iPNDM", .solve = solveIpndm};
}

SolverType ipndm_v() {
    return {.name = "ipndm_v", .label = "iPNDM-v", .solve = solveIpndmV};
}

SolverType deis() {
    return {.name = "deis", .label = "DEIS", .solve = solveDeis};
}

SolverType gradient_estimation() {
    return {.name = "gradient_estimation",
            .label = "Gradient estimation",
            .solve = solveGradientEstimation};
}

}  // namespace lowtide::sampling::solvers_list
