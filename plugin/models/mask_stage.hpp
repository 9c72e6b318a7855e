#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// [B, 1, H, W] of the mask of pictures [B, 3, H, W]. Error{InvalidInput} names the setting that
/// cannot be.
[[nodiscard]] Shape maskShape(const Shape& imageShape, const MaskRequest& settings);

/// A mask of what pictures show.
[[nodiscard]] WireRef maskStage(StageContext& context, const MaskRequest& request);

}  // namespace lowtide::models
