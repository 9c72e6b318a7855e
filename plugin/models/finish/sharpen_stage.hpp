#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// Error{InvalidInput} names the setting that cannot be.
void checkSharpen(const SharpenRequest& settings);

/// Pictures with stronger edges. Records sharpen_in and sharpen_out.
[[nodiscard]] WireRef sharpenStage(StageContext& context, const SharpenRequest& request);

}  // namespace lowtide::models
