#include "plugin/sampling/distilled.hpp"

#include "plugin/base/error.hpp"

#include <cmath>

namespace lowtide::sampling {

namespace {

constexpr const char* kOriginalSteps = "original_inference_steps";

int64_t readOriginalSteps(const JsonReader& reader, int64_t trainSteps) {
    const int64_t original = reader.integer(kOriginalSteps).value_or(50);
    if (original < 1 || original > trainSteps) {
        throw Error(ErrorKind::Corrupt,
                    reader.what() + ": \"" + kOriginalSteps + "\" is " + std::to_string(original) +
                        ", it must be from 1 to " + std::to_string(trainSteps),
                    "repair the checkpoint's scheduler settings",
                    kOriginalSteps);
    }
    return original;
}

}  // namespace

SchedulerClass distilledClass(const std::string& label) {
    return {.label = label,
            .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .kind = "scaled_linear", .betas = {}},
            .hasSpacing = false,
            .hasZeroSnr = true};
}

std::vector<double> distilledTimesteps(const JsonReader& reader,
                                       const SchedulerConfig& config,
                                       int steps) {
    const int64_t original = readOriginalSteps(reader, config.noise.trainSteps);
    if (steps > original) {
        throw Error(ErrorKind::InvalidInput,
                    std::to_string(steps) + " steps were asked for, the model was distilled with " +
                        std::to_string(original),
                    "choose 1 to " + std::to_string(original) + " steps",
                    "steps");
    }
    const int64_t ratio = config.noise.trainSteps / original;
    const double stride = static_cast<double>(original) / static_cast<double>(steps);
    std::vector<double> timesteps;
    for (int step = 0; step < steps; ++step) {
        const auto skipped = static_cast<int64_t>(std::floor(step * stride));
        timesteps.push_back(static_cast<double>((original - skipped) * ratio - 1));
    }
    return timesteps;
}

}  // namespace lowtide::sampling
