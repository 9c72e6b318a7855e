#include "plugin/sampling/named_schedule.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/reference_math.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace lowtide::sampling {

namespace {

/// Signal that a last timestep without any keeps, so that its level is finite.
constexpr double kLeastSignalVariance = 4.8973451890853435e-08;
constexpr int kEdmLevels = 1000;
constexpr int64_t kFlowLevels = 1000;
constexpr int64_t kDynamicFlowLevels = 10'000;

std::vector<float> roundedLevels(const std::vector<double>& levels) {
    return {levels.begin(), levels.end()};
}

std::vector<double> trainedBetas(const NoiseSchedule& noise) {
    if (!noise.betas.empty()) {
        return noise.betas;
    }
    const bool isScaled = noise.kind == "scaled_linear";
    if (!isScaled && noise.kind != "linear") {
        refuseSetting("beta_schedule", noise.kind, message("linear or scaled_linear"));
    }
    std::vector<double> betas =
        isScaled ? numpy::linspace(
                       std::sqrt(noise.betaStart), std::sqrt(noise.betaEnd), noise.trainSteps)
                 : numpy::linspace(noise.betaStart, noise.betaEnd, noise.trainSteps);
    for (double& beta : betas) {
        beta = isScaled ? beta * beta : beta;
    }
    return betas;
}

/// Source: Lin et al. 2023 (arXiv 2305.08891), algorithm 1.
void leaveNoSignal(std::vector<double>& variances) {
    const double first = std::sqrt(variances.front());
    const double last = std::sqrt(variances.back());
    for (double& variance : variances) {
        const double root = (std::sqrt(variance) - last) * first / (first - last);
        variance = root * root;
    }
    variances.back() = kLeastSignalVariance;
}

std::vector<float> discreteLevels(const NoiseSchedule& noise) {
    std::vector<double> variances;  // of the signal
    double product = 1;
    for (const double beta : trainedBetas(noise)) {
        product *= 1 - beta;
        variances.push_back(product);
    }
    if (noise.zeroTerminalSnr) {
        leaveNoSignal(variances);
    }
    std::vector<double> levels;
    for (const double variance : variances) {
        levels.push_back(std::sqrt((1 - variance) / variance));
    }
    return roundedLevels(levels);
}

/// Between two training timesteps the logarithm of the level is linear.
TrainedLevels trainedTimesteps(const NoiseSchedule& noise) {
    TrainedLevels trained{.sigmas = discreteLevels(noise)};
    std::vector<double> logs;
    for (const float sigma : trained.sigmas) {
        logs.push_back(std::log(static_cast<double>(sigma)));
    }
    trained.timeAt = [logs](double sigma) {
        const double wanted = std::log(sigma);
        const auto nearest = std::min_element(logs.begin(), logs.end(), [&](double a, double b) {
            return std::abs(a - wanted) < std::abs(b - wanted);
        });
        return static_cast<double>(nearest - logs.begin());
    };
    const auto last = static_cast<double>(logs.size() - 1);
    trained.sigmaAt = [logs, last](double time) {
        const double within = std::clamp(time, 0.0, last);
        const double low = std::floor(within);
        const double weight = within - low;
        return std::exp((1 - weight) * logs[static_cast<size_t>(low)] +
                        weight * logs[static_cast<size_t>(std::ceil(within))]);
    };
    trained.sigmaAfter = [at = trained.sigmaAt, last](double fraction) {
        return at(last * (1 - fraction));
    };
    return trained;
}

/// Source: Karras et al. 2022 (arXiv 2206.00364), table 1: c_noise is a quarter of log sigma.
TrainedLevels trainedEdm(const EdmSchedule& edm) {
    const double low = std::log(edm.sigmaMin);
    const double high = std::log(edm.sigmaMax);
    std::vector<double> levels = numpy::linspace(low, high, kEdmLevels);
    std::transform(
        levels.begin(), levels.end(), levels.begin(), [](double level) { return std::exp(level); });
    return {.sigmas = roundedLevels(levels),
            .timeAt = [](double sigma) { return 0.25 * std::log(sigma); },
            .sigmaAt = [](double time) { return std::exp(4 * time); },
            .sigmaAfter =
                [low, high](double fraction) { return std::exp(high + (low - high) * fraction); }};
}

/// Its time is the level itself, which is shifted once more on the way back: so end the schedules
/// that are even in time.
TrainedLevels trainedFlow(const FlowSchedule& schedule) {
    std::vector<double> levels;
    const int64_t count = schedule.followsSize ? kDynamicFlowLevels : kFlowLevels;
    for (int64_t level = 1; level <= count; ++level) {
        levels.push_back(
            shiftedSigma(static_cast<double>(level) / static_cast<double>(count), schedule.shift));
    }
    const auto shifted = [shift = schedule.shift](double time) {
        return shiftedSigma(time, shift);
    };
    return {.sigmas = roundedLevels(levels),
            .timeAt = [](double sigma) { return sigma; },
            .sigmaAt = shifted,
            .sigmaAfter = [shifted](double fraction) { return shifted(1 - fraction); }};
}

}  // namespace

TrainedLevels trainedLevels(const SchedulerConfig& config) {
    return config.edm    ? trainedEdm(*config.edm)
           : config.flow ? trainedFlow(*config.flow)
                         : trainedTimesteps(config.noise);
}

namespace {

double highestOf(const TrainedLevels& trained) {
    return trained.sigmas.back();
}

double lowestOf(const TrainedLevels& trained) {
    return trained.sigmas.front();
}

/// Times from that of the highest level to that of the lowest, both included.
std::vector<double> evenTimes(const TrainedLevels& trained, int count) {
    std::vector<double> levels = numpy::linspace(
        trained.timeAt(highestOf(trained)), trained.timeAt(lowestOf(trained)), count);
    std::transform(levels.begin(), levels.end(), levels.begin(), trained.sigmaAt);
    return levels;
}

std::vector<double> normalLevels(const TrainedLevels& trained, int steps) {
    return evenTimes(trained, steps);
}

std::vector<double> uniformLevels(const TrainedLevels& trained, int steps) {
    std::vector<double> levels = evenTimes(trained, steps + 1);
    levels.pop_back();
    return levels;
}

std::vector<double> simpleLevels(const TrainedLevels& trained, int steps) {
    const double stride = static_cast<double>(trained.sigmas.size()) / steps;
    std::vector<double> levels;
    for (int i = 0; i < steps; ++i) {
        levels.push_back(
            trained.sigmas[trained.sigmas.size() - 1 - static_cast<size_t>(i * stride)]);
    }
    return levels;
}

/// Every n-th level upwards from the second one: what is left over lies at the top.
std::vector<double> ddimLevels(const TrainedLevels& trained, int steps) {
    const size_t stride = std::max<size_t>(trained.sigmas.size() / static_cast<size_t>(steps), 1);
    std::vector<double> levels;
    for (size_t i = 1; i < trained.sigmas.size(); i += stride) {
        levels.push_back(trained.sigmas[i]);
    }
    std::reverse(levels.begin(), levels.end());
    return levels;
}

/// Source: Karras et al. 2022, eq. 5 with rho 7, in float32 between the ends.
std::vector<double> karrasLevels(const TrainedLevels& trained, int steps) {
    constexpr double kRho = 7;
    const double high = std::pow(highestOf(trained), 1 / kRho);
    const double low = std::pow(lowestOf(trained), 1 / kRho);
    const std::vector<float> levels =
        floatsOf(at::pow(at::linspace(0, 1, steps, at::kFloat) * (low - high) + high, kRho));
    return {levels.begin(), levels.end()};
}

std::vector<double> evenLogLevels(const TrainedLevels& trained, int steps) {
    return spreadBetween(SigmaSpread::Exponential, highestOf(trained), lowestOf(trained), steps);
}

/// Source: Lee et al. 2024 (arXiv 2407.12173), a = b = 0.6. Neighbours that are equal are one.
std::vector<double> betaLevels(const TrainedLevels& trained, int steps) {
    constexpr double kShape = 0.6;
    const auto last = static_cast<double>(trained.sigmas.size() - 1);
    std::vector<double> positions;
    for (int i = 0; i < steps; ++i) {
        const double fraction = 1 - static_cast<double>(i) / steps;
        positions.push_back(
            numpy::roundHalfEven(inverseIncompleteBeta(fraction, kShape, kShape) * last));
    }
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    std::vector<double> levels;
    for (const double position : positions) {
        levels.push_back(trained.sigmas[static_cast<size_t>(position)]);
    }
    return levels;
}

/// The first half of the steps falls in a line to 1 - 0.025, the others quadratically to 0. Source:
/// Polyak et al. 2024 (arXiv 2410.13720), section 3.4.2, with half of the steps linear.
std::vector<double> linearQuadraticLevels(const TrainedLevels& trained, int steps) {
    constexpr double kThreshold = 0.025;
    if (steps == 1) {
        return {highestOf(trained)};
    }
    const double linear = std::floor(steps / 2.0);
    const double rest = steps - linear;
    const double difference = linear - kThreshold * steps;
    const double square = difference / (linear * rest * rest);
    const double slope = kThreshold / linear - 2 * difference / (rest * rest);
    std::vector<double> levels;
    for (int i = 0; i < steps; ++i) {
        const double gone = i < linear ? i * kThreshold / linear
                                       : square * i * i + slope * i + square * linear * linear;
        levels.push_back((1 - gone) * highestOf(trained));
    }
    return levels;
}

/// Even in the arc tangent. Source: Sabour et al. 2024 (arXiv 2404.14507), eq. 20; in float32,
/// whose rounding moves a first level far above 1.
std::vector<double> divergenceLevels(const TrainedLevels& trained, int steps) {
    if (steps == 1) {
        throw Error(ErrorKind::InvalidInput,
                    message("the schedule kl_optimal has no levels for 1 step"),
                    message("choose at least 2 steps, or another schedule"),
                    "schedule");
    }
    const at::Tensor done = at::arange(steps, at::kFloat) / (steps - 1);
    const std::vector<float> levels = floatsOf(
        at::tan(done * std::atan(lowestOf(trained)) + (1 - done) * std::atan(highestOf(trained))));
    return {levels.begin(), levels.end()};
}

}  // namespace

std::span<const NamedSchedule> namedSchedules() {
    static const std::vector<NamedSchedule> kSchedules = {
        {"normal", "Normal", normalLevels},
        {"simple", "Simple", simpleLevels},
        {"sgm_uniform", "SGM uniform", uniformLevels},
        {"karras", "Karras", karrasLevels},
        {"exponential", "Exponential", evenLogLevels},
        {"ddim_uniform", "DDIM uniform", ddimLevels},
        {"beta", "Beta", betaLevels},
        {"linear_quadratic", "Linear quadratic", linearQuadraticLevels},
        {"kl_optimal", "KL optimal", divergenceLevels}};
    return kSchedules;
}

const NamedSchedule& scheduleNamed(const std::string& name) {
    std::vector<std::string> names;
    for (const NamedSchedule& schedule : namedSchedules()) {
        if (schedule.name == name) {
            return schedule;
        }
        names.push_back(schedule.name);
    }
    throw Error(ErrorKind::InvalidInput,
                message("there is no schedule \"{}\"", name),
                message("choose automatic, {}", join(names, ", ")),
                "schedule");
}

namespace {

/// From `first` to `end`.
std::vector<float> takenLevels(std::vector<float> levels, const ScheduledSteps& asked) {
    const int steps = static_cast<int>(levels.size()) - 1;
    const int end = asked.end < 0 ? steps : std::min(asked.end, steps);
    if (asked.first < 0 || asked.first >= end) {
        throw Error(
            ErrorKind::InvalidInput,
            message("there is no step from {} to {} in a schedule of {}", asked.first, end, steps),
            message("choose start_step from 0 to {} and end_step above it, or -1", steps - 1),
            "start_step");
    }
    levels.resize(static_cast<size_t>(end) + 1);
    if (!asked.keepsNoise) {
        levels.back() = 0;
    }
    levels.erase(levels.begin(), levels.begin() + asked.first);
    return levels;
}

}  // namespace

std::vector<float> scheduledLevels(const NamedSchedule& schedule,
                                   const TrainedLevels& trained,
                                   const ScheduledSteps& asked) {
    constexpr double kAll = 0.9999;
    if (asked.fraction <= 0) {
        return {};
    }
    const bool isWhole = asked.fraction > kAll;
    const int all = isWhole ? asked.steps : static_cast<int>(asked.steps / asked.fraction);
    std::vector<float> levels =
        roundedLevels(schedule.levels(trained, asked.dropsPenultimate ? all + 1 : all));
    if (asked.dropsPenultimate) {
        levels.pop_back();
    }
    levels.push_back(0);
    const auto most = static_cast<size_t>(asked.steps) + 1;
    if (!isWhole && levels.size() > most) {
        levels.erase(levels.begin(), levels.end() - static_cast<std::ptrdiff_t>(most));
    }
    return takenLevels(std::move(levels), asked);
}

}  // namespace lowtide::sampling
