#include "plugin/sampling/own_levels.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/numpy_math.hpp"
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

/// Between the ends of the training, which are shifted levels themselves.
std::vector<double> eulerSigmas(double shift, int64_t trainSteps, int steps) {
    const auto count = static_cast<double>(trainSteps);
    const auto ends = [&](double sigma) {
        const auto own = static_cast<float>(sigma);
        const auto factor = static_cast<float>(shift);
        return static_cast<double>(factor * own / (1 + static_cast<float>(shift - 1) * own));
    };
    std::vector<double> sigmas = numpy::linspace(ends(1) * count, ends(1 / count) * count, steps);
    for (double& sigma : sigmas) {
        sigma = shiftedSigma(sigma / count, shift);
    }
    return sigmas;
}

std::vector<double> solverSigmas(double shift, int64_t trainSteps, int steps, bool fromOne) {
    const double lowest = 1 / static_cast<double>(trainSteps);
    std::vector<double> places = numpy::linspace(1, lowest, steps + 1);
    if (!fromOne) {
        std::reverse(places.begin(), places.end());
    }
    std::vector<double> sigmas;
    for (int i = 0; i < steps; ++i) {
        const double place = places[static_cast<size_t>(i)];
        sigmas.push_back(shiftedSigma(fromOne ? place : 1 - place, shift));
    }
    return sigmas;
}

/// In f32, as a pipeline's own list of levels is read.
std::vector<double> trailingSigmas(double shift, int steps) {
    const auto factor = static_cast<float>(shift);
    std::vector<double> sigmas;
    for (int i = 0; i < steps; ++i) {
        const auto place = static_cast<float>(1 - static_cast<double>(i) / steps);
        sigmas.push_back(factor * place / (1 + (factor - 1) * place));
    }
    return sigmas;
}

/// A logarithm is taken of what is left at the first level.
void leaveSignal(std::vector<double>& sigmas) {
    constexpr double kLeastSignal = 1e-6;
    if (std::abs(sigmas.front() - 1) < kLeastSignal) {
        sigmas.front() -= kLeastSignal;
    }
}

std::vector<double> flowSigmas(const SchedulerConfig& config, int steps, FlowPlaces places) {
    const double shift = config.flow->shift;
    const int64_t trainSteps = config.noise.trainSteps;
    if (places == FlowPlaces::Euler) {
        return config.flow->isTrailing ? trailingSigmas(shift, steps)
                                       : eulerSigmas(shift, trainSteps, steps);
    }
    std::vector<double> sigmas =
        config.flow->isTrailing
            ? trailingSigmas(shift, steps)
            : solverSigmas(shift, trainSteps, steps, places == FlowPlaces::UniPc);
    leaveSignal(sigmas);
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

NoiseLevels flowLevels(const SchedulerConfig& config, int steps, FlowPlaces places) {
    LOWTIDE_ASSERT(config.flow);
    const int64_t trainSteps = config.noise.trainSteps;
    const std::vector<double> sigmas = flowSigmas(config, steps, places);
    NoiseLevels levels{.sigmas = floats(sigmas), .schedule = {}};
    if (places == FlowPlaces::Euler) {
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

}  // namespace lowtide::sampling
