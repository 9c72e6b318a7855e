#pragma once

#include "plugin/sampling/teacher_forcing.hpp"
#include "plugin/tensor/recording_file.hpp"

#include <memory>
#include <string>

namespace lowtide::models {

/// The calls that `node` made in the recorded run. Error{InvalidInput} when it made none, or other
/// than f32 ones.
[[nodiscard]] std::shared_ptr<const sampling::RecordedPass> recordedPassOf(
    const tensor::RecordedTensors& recorded, const std::string& node);

}  // namespace lowtide::models
