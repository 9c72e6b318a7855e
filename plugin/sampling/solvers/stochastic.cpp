// Solvers of the stochastic differential equation (eta 1).

#include "plugin/sampling/solvers/solver.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lowtide::sampling::solvers_list {

namespace {

constexpr double kEta = 1;

/// Noise of a stretch of the equation, per level.
double deviationOver(double length) {
    return std::sqrt(std::max(-std::expm1(-2 * length * kEta), 0.0));
}

/// Half way in the log of signal to noise, each operation in float32 as ComfyUI has it: a Brownian
/// motion is rough, and a level that differs in its last bit draws other noise.
double middleLevel(const SolverRun& run, double from, double to) {
    const auto logSnr = [&](double sigma) {
        const auto level = static_cast<float>(sigma);
        const double ratio = run.isFlow ? level / (1 - level) : level;
        return -static_cast<float>(std::log(ratio));
    };
    const float start = logSnr(from);
    const double middle = start + (logSnr(to) - start) / 2;
    const auto exponential = static_cast<float>(std::exp(run.isFlow ? middle : -middle));
    return run.isFlow ? 1 / (1 + exponential) : exponential;
}

/// Two ancestral steps: to the middle, and to the end with what was found there. Source: Lu et al.
/// 2022 (arXiv 2211.01095), SDE-DPM-Solver++, single step with r = 1/2.
at::Tensor solveSinglestepSde(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            const double start = run.logSnr(from);
            const double middle = middleLevel(run, from, to);
            const auto moved = [&](double level, const at::Tensor& along) {
                const double signal = run.signal(level);
                const Ancestral step = ancestral(std::exp(-start), std::exp(-run.logSnr(level)));
                const double length = -std::log(step.down) - start;
                return latents * (signal / run.signal(from) * std::exp(-length)) -
                       along * (signal * std::expm1(-length)) +
                       run.noise(from, level) * (signal * step.up);
            };
            const at::Tensor second = run.clean(moved(middle, clean), middle, 1);
            return moved(to, second);
        });
}

enum class SecondOrder : uint8_t { Midpoint, Heun };

/// Source: Lu et al. 2022, SDE-DPM-Solver++(2M).
at::Tensor solveMultistepSde(const SolverRun& run, at::Tensor begin, SecondOrder kind) {
    at::Tensor before;
    double lengthBefore = 0;
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            const double length = run.logSnr(to) - run.logSnr(from);
            const double all = length * (1 + kEta);
            const double first = std::expm1(-all);
            const double signal = run.signal(to);
            at::Tensor next =
                latents * (to / from * std::exp(-length * kEta)) - clean * (signal * first);
            if (before.defined()) {
                const double weight = kind == SecondOrder::Heun ? 1 + first / all : -first / 2;
                next = next + (clean - before) * (signal * weight * length / lengthBefore);
            }
            next = next + run.noise(from, to) * (to * deviationOver(length));
            before = clean;
            lengthBefore = length;
            return next;
        });
}

at::Tensor solveMultistepSdeMidpoint(const SolverRun& run, at::Tensor latents) {
    return solveMultistepSde(run, std::move(latents), SecondOrder::Midpoint);
}

at::Tensor solveMultistepSdeHeun(const SolverRun& run, at::Tensor latents) {
    return solveMultistepSde(run, std::move(latents), SecondOrder::Heun);
}

/// The same of third order.
at::Tensor solveThirdOrderSde(const SolverRun& run, at::Tensor begin) {
    std::array<at::Tensor, 2> before;  // newest first
    std::array<double, 2> lengths = {0, 0};
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            const double length = run.logSnr(to) - run.logSnr(from);
            const double all = length * (1 + kEta);
            const double first = std::expm1(-all);
            const double second = first / all + 1;
            const double signal = run.signal(to);
            at::Tensor next =
                latents * (to / from * std::exp(-length * kEta)) - clean * (signal * first);
            if (before[1].defined()) {
                const double near = lengths[0] / length;
                const double far = lengths[1] / length;
                const at::Tensor difference = (clean - before[0]) / near;
                const at::Tensor bend = (difference - (before[0] - before[1]) / far) / (near + far);
                next = next + (difference + bend * near) * (signal * second) -
                       bend * (signal * (second / all - 0.5));
            } else if (before[0].defined()) {
                next = next + (clean - before[0]) * (signal * second * length / lengths[0]);
            }
            next = next + run.noise(from, to) * (to * deviationOver(length));
            before = {clean, before[0]};
            lengths = {length, lengths[0]};
            return next;
        });
}

/// How the extended reverse-time equation scales noise per signal.
double reverseScale(double ratio) {
    return ratio * (std::exp(std::pow(ratio, 0.3)) + 10);
}

/// Sums over a step of 1 / scale, and of that times the distance from its beginning.
struct ReverseSums {
    double scale = 0;
    double moment = 0;

    ReverseSums(double from, double to) {
        constexpr int kPoints = 200;
        const double part = (from - to) / kPoints;
        for (int k = 0; k < kPoints; ++k) {
            const double at = to + k * part;
            scale += part / reverseScale(at);
            moment += part * (at - from) / reverseScale(at);
        }
    }
};

/// Source: Cui et al. 2023 (arXiv 2309.06169), ER-SDE-Solver-3, along noise per signal.
at::Tensor solveReverseTime(const SolverRun& run, at::Tensor latents) {
    const std::vector<double> sigmas = run.withSignal();
    const auto ratioAt = [&](size_t i) { return sigmas[i] / run.signal(sigmas[i]); };
    at::Tensor before;
    at::Tensor differenceBefore;
    for (size_t i = 0; i < run.steps(); ++i) {
        const double to = sigmas[i + 1];
        const at::Tensor clean = run.clean(latents, sigmas[i]);
        if (to == 0) {
            latents = clean;
            continue;
        }
        const double now = ratioAt(i);
        const double next = ratioAt(i + 1);
        const double signal = run.signal(to);
        const double scale = reverseScale(next);
        const double kept = scale / reverseScale(now);
        latents = latents * (signal / run.signal(sigmas[i]) * kept) + clean * (signal * (1 - kept));
        if (before.defined()) {
            const double length = next - now;
            const ReverseSums sums(now, next);
            const at::Tensor difference = (clean - before) / (now - ratioAt(i - 1));
            latents = latents + difference * (signal * (length + scale * sums.scale));
            if (differenceBefore.defined()) {
                const at::Tensor bend =
                    (difference - differenceBefore) / ((now - ratioAt(i - 2)) / 2);
                latents = latents + bend * (signal * (length * length / 2 + scale * sums.moment));
            }
            differenceBefore = difference;
        }
        const double variance = std::max(next * next - now * now * kept * kept, 0.0);
        latents = latents + run.noise(sigmas[i], to) * (signal * std::sqrt(variance));
        before = clean;
    }
    return latents;
}

/// One step of SEEDS: points inside it, and noise that is carried on from point to point.
class SeedsStep {
public:
    SeedsStep(const SolverRun& run, const at::Tensor& latents, double from, double to)
        : run_(run),
          latents_(latents),
          from_(from),
          to_(to),
          start_(run.logSnr(from)),
          length_(run.logSnr(to) - start_),
          level_(from) {}

    /// The level of a fraction of the step.
    [[nodiscard]] double levelAt(double fraction) const {
        return fraction == 1 ? to_ : run_.sigmaOf(start_ + fraction * length_);
    }

    /// Log of signal to noise of a fraction of the step, with the noise that the equation adds.
    [[nodiscard]] double lengthTo(double fraction) const { return fraction * length_ * (1 + kEta); }

    /// Latents at a fraction of the step, where `along` is the weighted sum of clean latents.
    at::Tensor moved(double fraction, const at::Tensor& along) {
        const double level = levelAt(fraction);
        const double gone = (fraction - fraction_) * length_;
        const at::Tensor fresh = run_.noise(level_, level) * deviationOver(gone);
        noise_ = noise_.defined() ? noise_ * std::exp(-gone * kEta) + fresh : fresh;
        fraction_ = fraction;
        level_ = level;
        return latents_ * (level / from_ * std::exp(-fraction * length_ * kEta)) -
               along * run_.signal(level) + noise_ * level;
    }

private:
    const SolverRun& run_;
    const at::Tensor& latents_;
    double from_;
    double to_;
    double start_;
    double length_;
    double level_;
    double fraction_ = 0;
    at::Tensor noise_;
};

/// (e^z - 1 - z) / z.
double phi2(double z) {
    return (std::expm1(z) - z) / z;
}

/// Source: Gonzalez et al. 2023 (arXiv 2305.14267), SEEDS-2 with the point at 1/2.
at::Tensor solveSeeds2(const SolverRun& run, at::Tensor begin) {
    constexpr double kPoint = 0.5;
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            SeedsStep step(run, latents, from, to);
            const at::Tensor middle =
                step.moved(kPoint, clean * std::expm1(-step.lengthTo(kPoint)));
            const at::Tensor second = run.clean(middle, step.levelAt(kPoint), 1);
            return step.moved(1, second * std::expm1(-step.lengthTo(1)));
        });
}

/// The exponential Heun method of the same equation: the point lies at the end. Its second draw has
/// no weight, and is drawn.
at::Tensor solveExponentialHeunSde(const SolverRun& run, at::Tensor begin) {
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            SeedsStep step(run, latents, from, to);
            const double first = std::expm1(-step.lengthTo(1));
            const at::Tensor end = step.moved(1, clean * first);
            const at::Tensor second = run.clean(end, to, 1);
            const double weight = phi2(-step.lengthTo(1));
            return step.moved(1, clean * (first - weight) + second * weight);
        });
}

/// Source: Gonzalez et al. 2023, SEEDS-3 with points at 1/3 and 2/3.
at::Tensor solveSeeds3(const SolverRun& run, at::Tensor begin) {
    constexpr double kFirst = 1.0 / 3;
    constexpr double kSecond = 2.0 / 3;
    return solveSteps(
        run,
        run.withSignal(),
        std::move(begin),
        [&](const at::Tensor& latents, const at::Tensor& clean, double from, double to) {
            SeedsStep step(run, latents, from, to);
            const auto between = [&](double fraction, double point, const at::Tensor& made) {
                const double weight = phi2(-step.lengthTo(fraction)) * fraction / point;
                return clean * (std::expm1(-step.lengthTo(fraction)) - weight) + made * weight;
            };
            const at::Tensor third = step.moved(kFirst, clean * std::expm1(-step.lengthTo(kFirst)));
            const at::Tensor atThird = run.clean(third, step.levelAt(kFirst), 1);
            const at::Tensor twoThirds = step.moved(kSecond, between(kSecond, kFirst, atThird));
            const at::Tensor atTwoThirds = run.clean(twoThirds, step.levelAt(kSecond), 2);
            return step.moved(1, between(1, kSecond, atTwoThirds));
        });
}

}  // namespace

SolverType dpmpp_sde() {
    return {.name = "dpmpp_sde",
            .label = "DPM++ SDE",
            .solve = solveSinglestepSde,
            .noise = SolverNoise::Brownian};
}

SolverType dpmpp_2m_sde() {
    return {.name = "dpmpp_2m_sde",
            .label = "DPM++ 2M SDE",
            .solve = solveMultistepSdeMidpoint,
            .noise = SolverNoise::Brownian};
}

SolverType dpmpp_2m_sde_heun() {
    return {.name = "dpmpp_2m_sde_heun",
            .label = "DPM++ 2M SDE Heun",
            .solve = solveMultistepSdeHeun,
            .noise = SolverNoise::Brownian};
}

SolverType dpmpp_3m_sde() {
    return {.name = "dpmpp_3m_sde",
            .label = "DPM++ 3M SDE",
            .solve = solveThirdOrderSde,
            .noise = SolverNoise::Brownian};
}

SolverType er_sde() {
    return {.name = "er_sde",
            .label = "ER SDE",
            .solve = solveReverseTime,
            .noise = SolverNoise::Fresh};
}

SolverType seeds_2() {
    return {
        .name = "seeds_2", .label = "SEEDS 2", .solve = solveSeeds2, .noise = SolverNoise::Fresh};
}

SolverType seeds_3() {
    return {
        .name = "seeds_3", .label = "SEEDS 3", .solve = solveSeeds3, .noise = SolverNoise::Fresh};
}

SolverType exp_heun_2_x0_sde() {
    return {.name = "exp_heun_2_x0_sde",
            .label = "Exponential Heun SDE",
            .solve = solveExponentialHeunSde,
            .noise = SolverNoise::Fresh};
}

}  // namespace lowtide::sampling::solvers_list
