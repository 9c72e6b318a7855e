#include "plugin/sampling/sigma_spread.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/incomplete_beta.hpp"
#include "plugin/sampling/numpy_math.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::sampling {

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

/// Place of a level among the training's, linear in log sigma. The training logarithms are float32
/// and so is the gap between two of them; the rest is of the level's own type.
template <class Real>
Real placeAmong(Real logSigma, const std::vector<float>& logTraining) {
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
    return config.karrasTimesteps == KarrasTimesteps::Whole ||
           (config.karrasTimesteps == KarrasTimesteps::WholeUnlessCosine &&
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
        const double timestep = placeAmong(std::log(std::max(sigma, kLeastSigma)), logTraining);
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
        timesteps.push_back(placeAmong(numpy::log(level), logTraining));
    }
    return timesteps;
}

}  // namespace lowtide::sampling
