#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// Pictures at another size, by a filter.
[[nodiscard]] WireRef upscaleStage(StageContext& context, const UpscaleRequest& request);

}  // namespace lowtide::models
