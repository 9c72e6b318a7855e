// CFG++: steps go down from the guided clean latents along the noise of the negative prompt.
// Source: Chung et al. 2024 (arXiv 2406.08070).

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace lowtide::sampling::solvers_list {

namespace {

/// Noise per signal.
double noiseRatio(const SolverRun& run, double sigma) {
    const double signal = run.signal(sigma);
    return signal > 0 ? sigma / signal : std::numeric_limits<double>::infinity();
}

/// The noise in the latents, as the negative prompt has it.
at::Tensor negativeNoise(const SolverRun& run,
                         const at::Tensor& latents,
                         const Denoised& made,
                         double sigma) {
    return (latents - made.uncond * run.signal(sigma)) / sigma;
}

at::Tensor solveEulerPlusPlus(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        latents = made.clean * run.signal(to) + negativeNoise(run, latents, made, from) * to;
    }
    return latents;
}

at::Tensor solveEulerAncestralPlusPlus(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        const double signal = run.signal(to);
        const Ancestral step = ancestral(noiseRatio(run, from), noiseRatio(run, to));
        latents =
            made.clean * signal + negativeNoise(run, latents, made, from) * (signal * step.down);
        if (to > 0) {
            latents = latents + run.noise(from, to) * (signal * step.up);
        }
    }
    return latents;
}

at::Tensor solveMultistepPlusPlus(const SolverRun& run, at::Tensor latents) {
    at::Tensor before;  // of the negative prompt
    double lengthBefore = 0;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        latents = made.clean + (latents - made.uncond) * (to / from);
        if (to == 0) {
            continue;
        }
        const double length = std::log(from / to);
        if (before.defined()) {
            latents = latents -
                      (made.clean - before) * (std::expm1(-length) * length / (2 * lengthBefore));
        }
        before = made.uncond;
        lengthBefore = length;
    }
    return latents;
}

at::Tensor solveSinglestepAncestralPlusPlus(const SolverRun& run, at::Tensor latents) {
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        const Ancestral step = ancestral(from, to);
        if (step.down == 0) {
            latents = made.clean;
        } else {
            const double length = std::log(from / step.down);
            const double middle = std::sqrt(from * step.down);
            const at::Tensor second = (latents + made.clean - made.uncond) * (middle / from) -
                                      made.clean * std::expm1(-length / 2);
            const Denoised there = run.ask(second, middle, 1);
            latents = (latents + made.clean - there.uncond) * (step.down / from) -
                      there.clean * std::expm1(-length);
        }
        if (to > 0) {
            latents = latents + run.noise(from, to) * step.up;
        }
    }
    return latents;
}

at::Tensor solveGradientPlusPlus(const SolverRun& run, at::Tensor latents) {
    at::Tensor before;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        const at::Tensor slope = (latents - made.uncond) / from;
        latents = made.clean + slope * to;
        if (to > 0 && before.defined()) {
            latents = latents + (slope - before) * (to - from);
        }
        before = slope;
    }
    return latents;
}

/// CFG++ with a tenth of the noise's difference, and a quarter of Adams-Bashforth's second order;
/// its last step goes on in a line. Source: numbers recorded from ComfyUI.
at::Tensor solveUd10(const SolverRun& run, at::Tensor latents) {
    constexpr double kOfDifference = 0.1;
    constexpr double kOfAdams = 0.25;
    Denoised before;
    at::Tensor noiseBefore;
    at::Tensor rateBefore;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double from = run.sigmas[i];
        const double to = run.sigmas[i + 1];
        const Denoised made = run.ask(latents, from, 0);
        const double gone = i > 0 ? from - run.sigmas[i - 1] : 0;
        if (to == 0) {
            latents = before.clean.defined()
                          ? made.clean - (made.clean - before.clean) * (from / gone)
                          : made.clean;
            continue;
        }
        const at::Tensor noise = negativeNoise(run, latents, made, from);
        const double ratio = i > 0 ? (to - from) / gone : 0;
        const at::Tensor ahead =
            noiseBefore.defined() ? noise + (noise - noiseBefore) * (kOfDifference * ratio) : noise;
        const at::Tensor step = made.clean * run.signal(to) + ahead * to - latents;
        const at::Tensor rate = step / (to - from);
        if (rateBefore.defined()) {
            const at::Tensor adams =
                (rate * (1 + ratio / 2) - rateBefore * (ratio / 2)) * (to - from);
            latents = latents + step * (1 - kOfAdams) + adams * kOfAdams;
        } else {
            latents = latents + step;
        }
        before = made;
        noiseBefore = noise;
        rateBefore = rate;
    }
    return latents;
}

}  // namespace

SolverType euler_cfg_pp() {
    return {.name = "euler_cfg_pp",
            .label = "Euler CFG++",
            .solve = solveEulerPlusPlus,
            .uncond = UncondUse::Always};
}

SolverType euler_a_cfg_pp() {
    return {.name = "euler_a_cfg_pp",
            .label = "Euler a CFG++",
            .solve = solveEulerAncestralPlusPlus,
            .noise = SolverNoise::Fresh,
            .uncond = UncondUse::Always};
}

SolverType dpmpp_2m_cfg_pp() {
    return {.name = "dpmpp_2m_cfg_pp",
            .label = "DPM++ 2M CFG++",
            .solve = solveMultistepPlusPlus,
            .uncond = UncondUse::Always};
}

SolverType dpmpp_2s_a_cfg_pp() {
    return {.name = "dpmpp_2s_a_cfg_pp",
            .label = "DPM++ 2S a CFG++",
            .solve = solveSinglestepAncestralPlusPlus,
            .noise = SolverNoise::Fresh,
            .uncond = UncondUse::Always};
}

SolverType gradient_estimation_cfg_pp() {
    return {.name = "gradient_estimation_cfg_pp",
            .label = "Gradient estimation CFG++",
            .solve = solveGradientPlusPlus,
            .uncond = UncondUse::Always};
}

SolverType cfgpp_ud10_ab() {
    return {.name = "cfgpp_ud10_ab",
            .label = "CFG++ UD10 AB",
            .solve = solveUd10,
            .uncond = UncondUse::WhereGuided};
}

}  // namespace lowtide::sampling::solvers_list
