#include "plugin/sampling/own_levels.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/sampling/numpy_math.hpp"
#include "plugin/sampling/sigma_spread.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace lowtide::sampling {

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
std::vector<double> shifted(const std::vector<double>& places, double shift, RampType type) {
    std::vector<double> sigmas;
    for (const double place : places) {
        if (type == RampType::F64) {
            sigmas.push_back(shiftedSigma(place, shift));
            continue;
        }
        const auto own = static_cast<float>(place);
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
    std::vector<double> places = numpy::linspace(own.front() * count, own.back() * count, steps);
    for (double& place : places) {
        place /= count;
    }
    return shifted(places, flow.shift, RampType::F64);
}

std::vector<double> trailingSigmas(const FlowSchedule& flow, int steps, RampType type) {
    std::vector<double> places;
    for (int i = 0; i < steps; ++i) {
        places.push_back(1 - static_cast<double>(i) / steps);
    }
    return shifted(places, flow.shift, type);
}

std::vector<double> solverSigmas(const FlowSchedule& flow,
                                 int64_t trainSteps,
                                 int steps,
                                 bool fromOne) {
    const double lowest = 1 / static_cast<double>(trainSteps);
    std::vector<double> places = numpy::linspace(1, lowest, steps + 1);
    if (!fromOne) {
        std::reverse(places.begin(), places.end());
        std::transform(
            places.begin(), places.end(), places.begin(), [](double place) { return 1 - place; });
    }
    places.pop_back();
    return shifted(places, flow.shift, RampType::F64);
}

/// `own`: where the sampler's class places them without being told.
std::vector<double> spacedSigmas(const SchedulerConfig& config, int steps, FlowPlaces own) {
    const FlowSchedule& flow = *config.flow;
    const bool isAlongSigma = own == FlowPlaces::Euler;
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
    return solverSigmas(flow, config.noise.trainSteps, steps, own == FlowPlaces::UniPc);
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

/// Placed, shifted, stretched and spread, in this order. Source: set_timesteps of
/// FlowMatchEulerDiscreteScheduler.
std::vector<double> flowSigmas(const SchedulerConfig& config, int steps, FlowPlaces own) {
    std::vector<double> sigmas = spacedSigmas(config, steps, own);
    stretchTo(config.flow->terminal, sigmas);
    if (config.spread != SigmaSpread::Normal) {
        sigmas = spreadBetween(config.spread, sigmas.front(), sigmas.back(), steps);
    }
    if (own != FlowPlaces::Euler) {
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

NoiseLevels flowLevels(const SchedulerConfig& config, int steps, FlowPlaces own) {
    LOWTIDE_ASSERT(config.flow);
    const int64_t trainSteps = config.noise.trainSteps;
    const std::vector<double> sigmas = flowSigmas(config, steps, own);
    NoiseLevels levels{.sigmas = floats(sigmas), .schedule = {}};
    if (own == FlowPlaces::Euler) {
        const auto process = makeProcess(config, LatentForm::Growing);
        levels.schedule.timesteps = floatValues(process->timesAt(levels.sigmas));
    } else {
        std::vector<double> times = sigmas;
        for (double& time : times) {
            time *= static_cast<double>(trainSteps);
        }
        levels.schedule.timesteps = wholeTimesteps(times);
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
                    "steps " + std::to_string(call) + " and " + std::to_string(call + 1) + " of " +
                        std::to_string(calls) + ", at timesteps " + timeOf(call - 1) + " and " +
                        timeOf(call) + ", have the noise level " + formatNumber(sigmas[call]) +
                        ", and this sampler divides by the difference",
                    "choose fewer steps, another spacing or the sampler euler",
                    "steps");
    }
}

}  // namespace lowtide::sampling
