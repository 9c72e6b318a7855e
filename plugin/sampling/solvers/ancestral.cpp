// Solvers that go further down than asked and add fresh noise, and those that begin again from
// clean latents.

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling::solvers_list {

namespace {

/// A flow's latents moved down a level, where `clean` is what they consist of.
at::Tensor movedDown(const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
    return latents * (to / from) + clean * (1 - to / from);
}

/// Source: Song et al. 2020 (arXiv 2010.02502) with the noise of DDPM, along sigma.
at::Tensor solveEulerAncestral(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.sigmas,
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            if (run.isFlow) {
                const FlowAncestral step = flowAncestral(from, to);
                return movedDown(latents, clean, from, step.down) * step.scale +
                       run.noise(from, to) * step.up;
            }
            const Ancestral step = ancestral(from, to);
            return latents + (latents - clean) / from * (step.down - from) +
                   run.noise(from, to) * step.up;
        });
}

/// DPM-Solver-2 to the lower level, then noise.
at::Tensor solveDpm2Ancestral(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.sigmas,
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            const Ancestral growing = ancestral(from, to);
            const FlowAncestral step =
                run.isFlow ? flowAncestral(from, to)
                           : FlowAncestral{.down = growing.down, .up = growing.up, .scale = 1};
            const double middle = std::sqrt(from * step.down);
            const at::Tensor second = latents + (latents - clean) / from * (middle - from);
            const at::Tensor slope = (second - run.clean(second, middle, 1)) / middle;
            return (latents + slope * (step.down - from)) * step.scale +
                   run.noise(from, to) * step.up;
        });
}

/// The middle of a flow's step in the log of signal to noise.
double flowMiddle(const SolverRun& run, double from, double to) {
    constexpr double kBelowNoiseAlone = 0.9999;
    return from >= 1 ? kBelowNoiseAlone : run.sigmaOf((run.logSnr(from) + run.logSnr(to)) / 2);
}

/// Source: Lu et al. 2022 (arXiv 2211.01095), DPM-Solver++(2S), to the lower level, then noise.
at::Tensor solveSinglestepAncestral(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.sigmas,
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            if (run.isFlow) {
                const FlowAncestral step = flowAncestral(from, to);
                const double middle = flowMiddle(run, from, step.down);
                const at::Tensor second =
                    run.clean(movedDown(latents, clean, from, middle), middle, 1);
                return movedDown(latents, second, from, step.down) * step.scale +
                       run.noise(from, to) * step.up;
            }
            const Ancestral step = ancestral(from, to);
            const double middle = std::sqrt(from * step.down);
            const at::Tensor second = run.clean(movedDown(latents, clean, from, middle), middle, 1);
            return movedDown(latents, second, from, step.down) + run.noise(from, to) * step.up;
        });
}

/// Source: Ho et al. 2020 (arXiv 2006.11239), algorithm 2, on latents that keep their variance.
at::Tensor solveDdpm(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.sigmas,
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            const double now = 1 / (1 + from * from);
            const double next = 1 / (1 + to * to);
            const double ratio = now / next;
            const at::Tensor made = (latents - clean) / from;
            const at::Tensor mean =
                (latents * std::sqrt(now) - made * ((1 - ratio) / std::sqrt(1 - now))) /
                std::sqrt(ratio);
            const double deviation = std::sqrt((1 - ratio) * (1 - next) / (1 - now));
            return (mean + run.noise(from, to) * deviation) * std::sqrt(1 + to * to);
        });
}

/// Source: Luo et al. 2023 (arXiv 2310.04378), algorithm 3.
at::Tensor solveConsistency(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        latents = run.clean(latents, from);
        if (to > 0) {
            latents = latents * run.signal(to) + run.noise(from, to) * to;
        }
    }
    return latents;
}

}  // namespace

SolverType euler_a() {
    return {.name = "euler_a",
            .label = "Euler a",
            .solve = solveEulerAncestral,
            .noise = SolverNoise::Fresh};
}

SolverType kdpm2_a() {
    return {.name = "kdpm2_a",
            .label = "DPM2 a",
            .solve = solveDpm2Ancestral,
            .noise = SolverNoise::Fresh,
            .dropsPenultimate = true};
}

SolverType dpmpp_2s_a() {
    return {.name = "dpmpp_2s_a",
            .label = "DPM++ 2S a",
            .solve = solveSinglestepAncestral,
            .noise = SolverNoise::Fresh};
}

SolverType ddpm() {
    return {.name = "ddpm", .label = "DDPM", .solve = solveDdpm, .noise = SolverNoise::Fresh};
}

SolverType sigma_lcm() {
    return {.name = "sigma_lcm",
            .label = "LCM along sigma",
            .solve = solveConsistency,
            .noise = SolverNoise::Fresh};
}

}  // namespace lowtide::sampling::solvers_list
