#include "plugin/sampling/timestep_spacing.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/numpy_math.hpp"

#include <ATen/ATen.h>

#include <algorithm>

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
    if (kind == TimestepKind::Whole) {
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
                    std::to_string(steps) + " steps do not fit into the " + std::to_string(usable) +
                        " timesteps that this sampler can visit",
                    "choose at most " + std::to_string(usable - 1) + " steps",
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

at::Tensor wholeTimesteps(const std::vector<double>& timesteps) {
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

}  // namespace lowtide::sampling
