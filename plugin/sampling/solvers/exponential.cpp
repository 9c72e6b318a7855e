// Solvers with exponential integrators in the log of signal to noise, without noise.

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace lowtide::sampling::solvers_list {

namespace {

/// In log sigma for every process. Source: Lu et al. 2022 (arXiv 2211.01095), algorithm 2.
at::Tensor solveMultistep(const SolverRun& run, at::Tensor latents) {
    at::Tensor before;
    double lengthBefore = 0;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const at::Tensor clean = run.clean(latents, from);
        if (to == 0) {
            latents = clean;
            continue;
        }
        const double length = std::log(from / to);
        const at::Tensor guess =
            before.defined() ? clean + (clean - before) * (length / (2 * lengthBefore)) : clean;
        latents = latents * (to / from) - guess * std::expm1(-length);
        before = clean;
        lengthBefore = length;
    }
    return latents;
}

/// Heun's method with phi-functions. Source: Hochbruck and Ostermann 2010, table 2.1, order 2 with
/// the second point at the end.
at::Tensor solveExponentialHeun(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            const double length = run.logSnr(to) - run.logSnr(from);
            const double signal = run.signal(to);
            const double first = std::expm1(-length);
            const double second = (first + length) / -length;
            const at::Tensor kept = latents * (to / from);
            const at::Tensor ahead = run.clean(kept - clean * (signal * first), to, 1);
            return kept - (clean * (first - second) + ahead * second) * signal;
        });
}

enum class CfgPlusPlus : uint8_t { No, Yes };

/// Source: Zhang et al. 2023 (arXiv 2308.02157), RES of second order in its multistep form; with
/// the noise of an ancestral step, or along the negative prompt (Chung et al. 2024,
/// arXiv 2406.08070).
at::Tensor solveRefined(const SolverRun& run,
                        at::Tensor latents,
                        SolverNoise noise,
                        CfgPlusPlus way) {
    const bool addsNoise = noise == SolverNoise::Fresh;
    at::Tensor before;
    double downBefore = 0;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        const bool isPlusPlus = way == CfgPlusPlus::Yes;
        const at::Tensor& along = isPlusPlus ? made.uncond : made.clean;
        const Ancestral step = addsNoise ? ancestral(from, to) : Ancestral{.down = to, .up = 0};
        if (step.down == 0 || !before.defined()) {
            latents = made.clean + (latents - along) * (step.down / from);
        } else {
            const double length = std::log(from / step.down);
            const double ratio = std::log(downBefore / run.sigmas[i - 1]) / length;
            const double first = std::expm1(-length) / -length;
            const double second = (first - 1) / -length;
            const at::Tensor moved = isPlusPlus ? latents + made.clean - made.uncond : latents;
            latents = moved * std::exp(-length) +
                      (along * (first - second / ratio) + before * (second / ratio)) * length;
        }
        if (addsNoise && to > 0) {
            latents = latents + run.noise(from, to) * step.up;
        }
        before = along;
        downBefore = step.down;
    }
    return latents;
}

at::Tensor solveRes(const SolverRun& run, at::Tensor latents) {
    return solveRefined(run, std::move(latents), SolverNoise::None, CfgPlusPlus::No);
}

at::Tensor solveResAncestral(const SolverRun& run, at::Tensor latents) {
    return solveRefined(run, std::move(latents), SolverNoise::Fresh, CfgPlusPlus::No);
}

at::Tensor solveResPlusPlus(const SolverRun& run, at::Tensor latents) {
    return solveRefined(run, std::move(latents), SolverNoise::None, CfgPlusPlus::Yes);
}

at::Tensor solveResAncestralPlusPlus(const SolverRun& run, at::Tensor latents) {
    return solveRefined(run, std::move(latents), SolverNoise::Fresh, CfgPlusPlus::Yes);
}

}  // namespace

SolverType dpmpp_2m() {
    return {.name = "dpmpp_2m", .label = "DPM++ 2M", .solve = solveMultistep};
}

SolverType exp_heun_2_x0() {
    return {.name = "exp_heun_2_x0", .label = "Exponential Heun", .solve = solveExponentialHeun};
}

SolverType res_multistep() {
    return {.name = "res_multistep", .label = "RES multistep", .solve = solveRes};
}

SolverType res_multistep_a() {
    return {.name = "res_multistep_a",
            .label = "RES multistep a",
            .solve = solveResAncestral,
            .noise = SolverNoise::Fresh};
}

SolverType res_multistep_cfg_pp() {
    return {.name = "res_multistep_cfg_pp",
            .label = "RES multistep CFG++",
            .solve = solveResPlusPlus,
            .uncond = UncondUse::Always};
}

SolverType res_multistep_a_cfg_pp() {
    return {.name = "res_multistep_a_cfg_pp",
            .label = "RES multistep a CFG++",
            .solve = solveResAncestralPlusPlus,
            .noise = SolverNoise::Fresh,
            .uncond = UncondUse::Always};
}

}  // namespace lowtide::sampling::solvers_list
