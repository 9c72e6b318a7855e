#include "plugin/sampling/sigma_spread.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/incomplete_beta.hpp"
#include "plugin/sampling/numpy_math.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::sampling {

namespace {

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

std::vector<double> exponential(double highest, double lowest, int steps) {
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

std::vector<double> spread(SigmaSpread kind, double highest, double lowest, int steps) {
    switch (kind) {
        case SigmaSpread::Karras:
            return karras(highest, lowest, steps);
        case SigmaSpread::Exponential:
            return exponential(highest, lowest, steps);
        case SigmaSpread::Beta:
            return beta(highest, lowest, steps);
        case SigmaSpread::Normal:
            break;
    }
    LOWTIDE_ASSERT(false);
}

/// Place of `sigma` among the training sigmas, linear in log sigma. The training logarithms are
/// float32 and so is the gap between two of them; the rest is double, as numpy promotes them.
double timestepOf(double sigma, const std::vector<float>& logTraining) {
    const double logSigma = std::log(std::max(sigma, 1e-10));
    const auto above = std::find_if(logTraining.rbegin(), logTraining.rend(), [&](float level) {
        return logSigma - level >= 0;
    });
    const auto found = above == logTraining.rend() ? 0 : logTraining.rend() - above - 1;
    const auto low = std::min<size_t>(static_cast<size_t>(found), logTraining.size() - 2);
    const float gap = logTraining[low] - logTraining[low + 1];
    const double weight = std::clamp((logTraining[low] - logSigma) / gap, 0.0, 1.0);
    return (1 - weight) * static_cast<double>(low) + weight * static_cast<double>(low + 1);
}

}  // namespace

SigmaTable spreadSigmas(const SchedulerConfig& config,
                        double highest,
                        double lowest,
                        int steps,
                        const std::vector<float>& trainingSigmas) {
    std::vector<float> logTraining(trainingSigmas.size());
    std::transform(trainingSigmas.begin(), trainingSigmas.end(), logTraining.begin(), numpy::log);
    SigmaTable table;
    table.sigmas = spread(
        config.spread, config.sigmaMax.value_or(highest), config.sigmaMin.value_or(lowest), steps);
    for (const double sigma : table.sigmas) {
        table.timesteps.push_back(timestepOf(sigma, logTraining));
    }
    return table;
}

}  // namespace lowtide::sampling
