#pragma once

#include "plugin/base/json.hpp"

namespace lowtide::models {

/// The scheduler of a transformer alone in a file: Euler over a flow with the shift 3, as
/// HiDream-I1 Full and Fast and Z-Image-Turbo have it. The shift of HiDream-I1 Dev and Z-Image
/// is 6.
[[nodiscard]] inline Json flowSchedule() {
    return {{"_class_name", "FlowMatchEulerDiscreteScheduler"},
            {"num_train_timesteps", 1000},
            {"shift", 3.0},
            {"use_dynamic_shifting", false}};
}

}  // namespace lowtide::models
