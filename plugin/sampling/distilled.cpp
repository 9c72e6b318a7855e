#include "plugin/sampling/distilled.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

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
                                       const ScheduleOptions& options) {
    const int64_t original = readOriginalSteps(reader, config.noise.trainSteps);
    const auto offered = static_cast<int64_t>(static_cast<double>(original) * options.strength);
    if (options.steps > offered) {
        const std::string part = offered == original ? ""
                                                     : ", of which a strength of " +
                                                           formatNumber(options.strength) +
                                                           " leaves " + std::to_string(offered);
        throw Error(
            ErrorKind::InvalidInput,
            std::to_string(options.steps) + " steps were asked for, the model was distilled with " +
                std::to_string(original) + part,
            "choose fewer steps" + std::string(offered == original ? "" : ", or a higher strength"),
            "steps");
    }
    const int64_t ratio = config.noise.trainSteps / original;
    const double stride = static_cast<double>(offered) / static_cast<double>(options.steps);
    std::vector<double> timesteps;
    for (int step = 0; step < options.steps; ++step) {
        const auto skipped = static_cast<int64_t>(std::floor(step * stride));
        timesteps.push_back(static_cast<double>((offered - skipped) * ratio - 1));
    }
    return timesteps;
}

}  // namespace lowtide::sampling
