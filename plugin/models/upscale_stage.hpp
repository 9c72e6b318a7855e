#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// The shape of the result for pictures [B, 3, H, W]. Error{InvalidInput} names the setting that
/// cannot be.
[[nodiscard]] Shape upscaledShape(const Shape& imageShape, const UpscaleRequest& settings);

/// Pictures at another size, by a filter.
[[nodiscard]] WireRef upscaleStage(StageContext& context, const UpscaleRequest& request);

}  // namespace lowtide::models
