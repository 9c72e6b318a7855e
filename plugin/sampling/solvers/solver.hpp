#pragma once
// Samplers along noise levels that are given: functions that ask the network where they want to, as
// k-diffusion and ComfyUI have them.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// What the network makes of latents.
struct Denoised {
    at::Tensor clean;   ///< clean latents that the guided prediction stands for
    at::Tensor uncond;  ///< those of the negative prompt, for a solver that reads them
};

/// What a solver is given for one pass. Latents are clean + sigma * noise, of a flow
/// (1 - sigma) * clean + sigma * noise.
struct SolverRun {
    std::vector<double> sigmas;  ///< falling, of two or more; the last may be 0
    bool isFlow = false;
    /// As TrainedLevels has it.
    std::function<double(double fraction)> sigmaAfter;
    /// Calls the network. `stage` above 0: inside a step.
    std::function<Denoised(const at::Tensor& latents, double sigma, int stage)> ask;
    /// N(0, 1) of the latents' shape, for a step between two levels.
    std::function<at::Tensor(double from, double to)> noise;

    [[nodiscard]] size_t steps() const { return sigmas.size() - 1; }

    [[nodiscard]] at::Tensor clean(const at::Tensor& latents, double sigma, int stage = 0) const {
        return ask(latents, sigma, stage).clean;
    }

    /// Fraction of the clean latents in those of a level.
    [[nodiscard]] double signal(double sigma) const { return isFlow ? 1 - sigma : 1; }

    /// Log of signal to noise; +inf at 0.
    [[nodiscard]] double logSnr(double sigma) const;
    /// The level of a log of signal to noise.
    [[nodiscard]] double sigmaOf(double logSnr) const;
    /// The levels with a first one that has signal: a flow's logarithm has no end at 1. In float32,
    /// as levels are.
    [[nodiscard]] std::vector<double> withSignal() const;
};

/// Goes along the levels by `step(latents, clean, from, to)`; at 0 the clean latents are the end.
template <class Step>
[[nodiscard]] at::Tensor solveSteps(const SolverRun& run,
                                    const std::vector<double>& sigmas,
                                    at::Tensor latents,
                                    const Step& step) {
    for (size_t i = 0; i + 1 < sigmas.size(); ++i) {
        const at::Tensor clean = run.clean(latents, sigmas[i]);
        latents = sigmas[i + 1] == 0 ? clean : step(latents, clean, sigmas[i], sigmas[i + 1]);
    }
    return latents;
}

/// What a solver's draws are.
enum class SolverNoise : uint8_t {
    None,
    Fresh,    ///< one draw after the other
    Brownian  ///< increments of one Brownian motion along sigma, where the program draws them so
};

/// Whether a solver reads the clean latents of the negative prompt.
enum class UncondUse : uint8_t {
    None,
    WhereGuided,  ///< without guidance those of the positive prompt are both
    Always        ///< both prompts are asked for, whatever the guidance
};

/// A solver that is built.
struct SolverType {
    std::string name;   ///< as SamplerType has it, and the same where both are one method
    std::string label;  ///< for users and metadata
    at::Tensor (*solve)(const SolverRun& run, at::Tensor latents);
    SolverNoise noise = SolverNoise::None;
    UncondUse uncond = UncondUse::None;
    bool dropsPenultimate =
        false;                     ///< its schedule has a step more, without its last but one level
    double end = 0;                ///< the level that a last one of 0 becomes
    bool choosesSteps = false;     ///< how often it asks depends on the latents
    bool keepsLaterNoise = false;  ///< outside of a mask lies noise of the later stream
};

/// All solvers, by name.
[[nodiscard]] std::span<const SolverType> solvers();

/// nullptr: there is none of that name.
[[nodiscard]] const SolverType* solverNamed(const std::string& name);

/// How an ancestral step from one level to another is parted: down, and noise up again.
struct Ancestral {
    double down = 0;
    double up = 0;
};

/// Source: Karras et al. 2022 and Song et al. 2020 (arXiv 2010.02502, eq. 16): all of the noise
/// that keeps the variance.
[[nodiscard]] Ancestral ancestral(double from, double to);

/// The same of a flow: after the step the latents are multiplied by `scale`.
struct FlowAncestral {
    double down = 0;
    double up = 0;
    double scale = 1;
};

[[nodiscard]] FlowAncestral flowAncestral(double from, double to);

/// The value of a polynomial that is 1 at `positions[j]` and 0 at the others.
[[nodiscard]] double lagrange(std::span<const double> positions, size_t j, double at);

}  // namespace lowtide::sampling
