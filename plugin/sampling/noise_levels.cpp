#include "plugin/sampling/noise_levels.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/reference_math.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lowtide::sampling {

namespace {

/// Multiples of `ratio` from (count - 1) * ratio down to 0, moved by `offset`.
std::vector<double> leading(int64_t ratio, int64_t count, int64_t offset) {
    std::vector<double> timesteps;
    for (int64_t i = count - 1; i >= 0; --i) {
        timesteps.push_back(static_cast<double>(i * ratio + offset));
    }
    return timesteps;
}

std::vector<double> trailing(int64_t from, int64_t trainSteps, int steps) {
    const double ratio = static_cast<double>(trainSteps) / static_cast<double>(steps);
    std::vector<double> timesteps = numpy::fallingRange(static_cast<double>(from), ratio, steps);
    for (double& timestep : timesteps) {
        timestep = numpy::roundHalfEven(timestep) - 1;
    }
    return timesteps;
}

std::vector<double> falling(double highest, int64_t count) {
    std::vector<double> timesteps = numpy::linspace(0, highest, count);
    std::reverse(timesteps.begin(), timesteps.end());
    return timesteps;
}

void roundAll(std::vector<double>& timesteps) {
    std::transform(timesteps.begin(), timesteps.end(), timesteps.begin(), numpy::roundHalfEven);
}

}  // namespace

std::vector<double> fallingTimesteps(const SchedulerConfig& config, int steps, TimestepKind kind) {
    const int64_t trainSteps = config.noise.trainSteps;
    if (config.spacing == Spacing::Leading) {
        return leading(trainSteps / steps, steps, config.stepsOffset);
    }
    if (config.spacing == Spacing::Trailing) {
        return trailing(trainSteps, trainSteps, steps);
    }
    std::vector<double> timesteps = falling(static_cast<double>(trainSteps - 1), steps);
    if (kind == TimestepKind::Integer) {
        roundAll(timesteps);
        return timesteps;
    }
    for (double& timestep : timesteps) {
        timestep = static_cast<float>(timestep);
    }
    return timesteps;
}

std::vector<double> multistepTimesteps(const SchedulerConfig& config, int steps, int64_t usable) {
    if (usable <= steps) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} steps do not fit into the {} timesteps that this sampler can visit",
                            steps,
                            usable),
                    message("choose at most {} steps", usable - 1),
                    "steps");
    }
    if (config.spacing == Spacing::Trailing) {
        return trailing(usable, config.noise.trainSteps, steps);
    }
    std::vector<double> timesteps;
    if (config.spacing == Spacing::Leading) {
        timesteps = leading(usable / (steps + 1), steps + 1, config.stepsOffset);
    } else {
        timesteps = falling(static_cast<double>(usable - 1), steps + 1);
        roundAll(timesteps);
    }
    timesteps.pop_back();
    return timesteps;
}

at::Tensor integerTimesteps(const std::vector<double>& timesteps) {
    return at::tensor(std::vector<int64_t>(timesteps.begin(), timesteps.end()), at::kLong);
}

at::Tensor floatValues(const std::vector<float>& values) {
    return at::tensor(values, at::kFloat);
}

std::vector<float> floatsOf(const at::Tensor& values) {
    const at::Tensor contiguous = values.contiguous();
    const float* data = contiguous.const_data_ptr<float>();
    return {data, data + contiguous.numel()};
}

namespace {

constexpr double kLeastSigma = 1e-10;  // its logarithm is taken

std::vector<double> karras(double highest, double lowest, int steps) {
    constexpr double kRho = 7.0;
    const double low = std::pow(lowest, 1 / kRho);
    const double high = std::pow(highest, 1 / kRho);
    std::vector<double> sigmas = numpy::linspace(0, 1, steps);
    for (double& sigma : sigmas) {
        sigma = std::pow(high + sigma * (low - high), kRho);
    }
    return sigmas;
}

std::vector<double> exponentialSigmas(double highest, double lowest, int steps) {
    std::vector<double> sigmas = numpy::linspace(std::log(highest), std::log(lowest), steps);
    for (double& sigma : sigmas) {
        sigma = std::exp(sigma);
    }
    return sigmas;
}

std::vector<double> beta(double highest, double lowest, int steps) {
    constexpr double kShape = 0.6;
    std::vector<double> sigmas = numpy::linspace(0, 1, steps);
    for (double& sigma : sigmas) {
        sigma = lowest + inverseIncompleteBeta(1 - sigma, kShape, kShape) * (highest - lowest);
    }
    return sigmas;
}

/// Even in the logarithms that numpy takes of the training's float32 ends.
std::vector<double> lu(const std::vector<float>& logTraining, int steps) {
    const double low = logTraining.front();
    const double high = logTraining.back();
    std::vector<double> sigmas = numpy::linspace(0, 1, steps);
    for (double& sigma : sigmas) {
        sigma = std::exp(high + sigma * (low - high));
    }
    return sigmas;
}

/// Index of a level among the training's, linear in log sigma. The training logarithms are float32
/// and so is the gap between two of them; the rest is of the level's own type.
template <class Real>
Real fractionalIndex(Real logSigma, const std::vector<float>& logTraining) {
    const auto above = std::find_if(logTraining.rbegin(), logTraining.rend(), [&](float level) {
        return logSigma - level >= 0;
    });
    const auto found = above == logTraining.rend() ? 0 : logTraining.rend() - above - 1;
    const auto low = std::min<size_t>(static_cast<size_t>(found), logTraining.size() - 2);
    const float gap = logTraining[low] - logTraining[low + 1];
    const Real weight = std::clamp<Real>((logTraining[low] - logSigma) / gap, 0, 1);
    return (1 - weight) * static_cast<Real>(low) + weight * static_cast<Real>(low + 1);
}

std::vector<float> logarithms(const std::vector<float>& sigmas) {
    std::vector<float> logs(sigmas.size());
    std::transform(sigmas.begin(), sigmas.end(), logs.begin(), numpy::log);
    return logs;
}

bool roundsTimesteps(const SchedulerConfig& config) {
    if (config.spread != SigmaSpread::Karras && config.spread != SigmaSpread::Lu) {
        return false;
    }
    return config.karrasTimesteps == KarrasTimesteps::Integer ||
           (config.karrasTimesteps == KarrasTimesteps::IntegerUnlessCosine &&
            config.noise.kind != "squaredcos_cap_v2");
}

}  // namespace

std::vector<double> spreadBetween(SigmaSpread kind, double highest, double lowest, int steps) {
    switch (kind) {
        case SigmaSpread::Karras:
            return karras(highest, lowest, steps);
        case SigmaSpread::Exponential:
            return exponentialSigmas(highest, lowest, steps);
        case SigmaSpread::Beta:
            return beta(highest, lowest, steps);
        case SigmaSpread::Lu:
        case SigmaSpread::Normal:
            break;
    }
    LOWTIDE_ASSERT(false);
}

SigmaTable spreadSigmas(const SchedulerConfig& config,
                        double highest,
                        double lowest,
                        int steps,
                        const std::vector<float>& trainingSigmas) {
    const std::vector<float> logTraining = logarithms(trainingSigmas);
    SigmaTable table;
    table.sigmas = config.spread == SigmaSpread::Lu
                       ? lu(logTraining, steps)
                       : spreadBetween(config.spread,
                                       config.sigmaMax.value_or(highest),
                                       config.sigmaMin.value_or(lowest),
                                       steps);
    for (const double sigma : table.sigmas) {
        const double timestep =
            fractionalIndex(std::log(std::max(sigma, kLeastSigma)), logTraining);
        table.timesteps.push_back(roundsTimesteps(config) ? numpy::roundHalfEven(timestep)
                                                          : timestep);
    }
    return table;
}

std::vector<float> timestepsBetween(const std::vector<float>& sigmas,
                                    const std::vector<float>& trainingSigmas) {
    const std::vector<float> logTraining = logarithms(trainingSigmas);
    std::vector<float> timesteps;
    for (const float sigma : sigmas) {
        const float level = std::max(sigma, static_cast<float>(kLeastSigma));
        timesteps.push_back(fractionalIndex(numpy::log(level), logTraining));
    }
    return timesteps;
}

namespace {

std::vector<float> floats(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

/// In the type of the ramp, rounded to f32 at the end.
std::vector<float> edmSigmas(const EdmSchedule& edm, int steps, RampType type) {
    if (edm.isExponential) {
        const at::Tensor logs =
            at::linspace(std::log(edm.sigmaMin), std::log(edm.sigmaMax), steps, at::kFloat);
        return floatsOf(at::exp(logs).flip(0));
    }
    const at::Tensor ramp =
        at::linspace(0, 1, steps, type == RampType::F32 ? at::kFloat : at::kDouble);
    const double low = std::pow(edm.sigmaMin, 1 / edm.rho);
    const double high = std::pow(edm.sigmaMax, 1 / edm.rho);
    return floatsOf(at::pow(ramp * (low - high) + high, edm.rho).to(at::kFloat));
}

/// Of the shift alone: in f32 as a list of levels is read, else in f64.
std::vector<double> shifted(const std::vector<double>& positions, double shift, RampType type) {
    std::vector<double> sigmas;
    for (const double position : positions) {
        if (type == RampType::F64) {
            sigmas.push_back(shiftedSigma(position, shift));
            continue;
        }
        const auto own = static_cast<float>(position);
        const auto factor = static_cast<float>(shift);
        sigmas.push_back(factor * own / (1 + (factor - 1) * own));
    }
    return sigmas;
}

/// The ends of the training are shifted levels themselves, unless the shift follows the size.
std::vector<double> linspaceSigmas(const FlowSchedule& flow, int64_t trainSteps, int steps) {
    const auto count = static_cast<double>(trainSteps);
    const std::vector<double> ends = {1, 1 / count};
    const std::vector<double> own =
        flow.isDynamic ? ends : shifted(ends, flow.shift, RampType::F32);
    std::vector<double> positions = numpy::linspace(own.front() * count, own.back() * count, steps);
    for (double& position : positions) {
        position /= count;
    }
    return shifted(positions, flow.shift, RampType::F64);
}

std::vector<double> trailingSigmas(const FlowSchedule& flow, int steps, RampType type) {
    std::vector<double> positions;
    for (int i = 0; i < steps; ++i) {
        positions.push_back(1 - static_cast<double>(i) / steps);
    }
    return shifted(positions, flow.shift, type);
}

std::vector<double> solverSigmas(const FlowSchedule& flow,
                                 int64_t trainSteps,
                                 int steps,
                                 bool fromOne) {
    const double lowest = 1 / static_cast<double>(trainSteps);
    std::vector<double> positions = numpy::linspace(1, lowest, steps + 1);
    if (!fromOne) {
        std::reverse(positions.begin(), positions.end());
        std::transform(positions.begin(), positions.end(), positions.begin(), [](double position) {
            return 1 - position;
        });
    }
    positions.pop_back();
    return shifted(positions, flow.shift, RampType::F64);
}

/// `own`: where the sampler's class puts them by default.
std::vector<double> spacedSigmas(const SchedulerConfig& config, int steps, FlowTimesteps own) {
    const FlowSchedule& flow = *config.flow;
    const bool isAlongSigma = own == FlowTimesteps::Euler;
    FlowSpacing spacing = flow.spacing;
    if (isAlongSigma && spacing == FlowSpacing::Sampler) {
        spacing = FlowSpacing::Trailing;
    }
    if (isAlongSigma && spacing == FlowSpacing::Class) {
        spacing = FlowSpacing::Linspace;
    }
    switch (spacing) {
        case FlowSpacing::Trailing:
            return trailingSigmas(flow, steps, isAlongSigma ? RampType::F32 : RampType::F64);
        case FlowSpacing::Linspace:
            return linspaceSigmas(flow, config.noise.trainSteps, steps);
        case FlowSpacing::Sampler:
        case FlowSpacing::Class:
            break;
    }
    return solverSigmas(flow, config.noise.trainSteps, steps, own == FlowTimesteps::UniPc);
}

/// One level that is all noise cannot be stretched.
void stretchTo(double terminal, std::vector<double>& sigmas) {
    const double signal = 1 - sigmas.back();
    if (terminal == 0 || signal == 0) {
        return;
    }
    const double scale = signal / (1 - terminal);
    for (double& sigma : sigmas) {
        sigma = 1 - (1 - sigma) / scale;
    }
}

/// A logarithm is taken of what is left at the first level.
void leaveSignal(std::vector<double>& sigmas) {
    constexpr double kLeastSignal = 1e-6;
    if (std::abs(sigmas.front() - 1) < kLeastSignal) {
        sigmas.front() -= kLeastSignal;
    }
}

/// Spaced, shifted, stretched and spread, in this order. Source: set_timesteps of
/// FlowMatchEulerDiscreteScheduler.
std::vector<double> flowSigmas(const SchedulerConfig& config, int steps, FlowTimesteps own) {
    std::vector<double> sigmas = spacedSigmas(config, steps, own);
    stretchTo(config.flow->terminal, sigmas);
    if (config.spread != SigmaSpread::Normal) {
        sigmas = spreadBetween(config.spread, sigmas.front(), sigmas.back(), steps);
    }
    if (own != FlowTimesteps::Euler) {
        leaveSignal(sigmas);
    }
    return sigmas;
}

}  // namespace

double shiftedSigma(double sigma, double shift) {
    return shift * sigma / (1 + (shift - 1) * sigma);
}

NoiseLevels edmLevels(const SchedulerConfig& config, int steps, RampType type) {
    LOWTIDE_ASSERT(config.edm);
    const EdmSchedule& edm = *config.edm;
    NoiseLevels levels{.sigmas = edmSigmas(edm, steps, type), .schedule = {}};
    const auto process = makeProcess(config, LatentForm::Growing);
    levels.schedule.timesteps = floatValues(process->timesAt(levels.sigmas));
    const float lowest =
        type == RampType::F32 ? static_cast<float>(edm.sigmaMin) : levels.sigmas.back();
    levels.sigmas.push_back(config.endsAtZero ? 0 : lowest);
    levels.schedule.sigmas = floatValues(levels.sigmas);
    levels.schedule.initNoiseSigma = std::sqrt(edm.sigmaMax * edm.sigmaMax + 1);
    return levels;
}

NoiseLevels flowLevels(const SchedulerConfig& config, int steps, FlowTimesteps own) {
    LOWTIDE_ASSERT(config.flow);
    const int64_t trainSteps = config.noise.trainSteps;
    const std::vector<double> sigmas = flowSigmas(config, steps, own);
    NoiseLevels levels{.sigmas = floats(sigmas), .schedule = {}};
    if (own == FlowTimesteps::Euler) {
        const auto process = makeProcess(config, LatentForm::Growing);
        levels.schedule.timesteps = floatValues(process->timesAt(levels.sigmas));
    } else {
        std::vector<double> times = sigmas;
        for (double& time : times) {
            time *= static_cast<double>(trainSteps);
        }
        levels.schedule.timesteps = integerTimesteps(times);
    }
    levels.sigmas.push_back(config.endsAtZero ? 0 : levels.sigmas.back());
    levels.schedule.sigmas = floatValues(levels.sigmas);
    levels.schedule.trainSteps = trainSteps;
    return levels;
}

void requireFalling(const Schedule& schedule) {
    const int64_t calls = schedule.timesteps.size(0);
    const float* sigmas = schedule.sigmas.const_data_ptr<float>();
    for (int64_t call = 1; call < calls; ++call) {
        if (sigmas[call] < sigmas[call - 1]) {
            continue;
        }
        const auto timeOf = [&](int64_t of) {
            return formatNumber(timestepIn(schedule.timesteps.select(0, of)));
        };
        throw Error(ErrorKind::InvalidInput,
                    message("steps {} and {} of {}, at timesteps {} and {}, have the noise level "
                            "{}, and this sampler divides by the difference",
                            call,
                            call + 1,
                            calls,
                            timeOf(call - 1),
                            timeOf(call),
                            formatNumber(sigmas[call])),
                    message("choose fewer steps, another spacing or the sampler euler"),
                    "steps");
    }
}

}  // namespace lowtide::sampling
