#pragma once

#include "plugin/models/pictures/fit_geometry.hpp"
#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// What the request makes of pictures [B, 3, H, W] and a mask [1 or B, 1, H, W] or an empty shape.
/// Error{InvalidInput} names the input or the setting that cannot be.
[[nodiscard]] FitGeometry fitFor(const FitShapes& shapes, const FitRequest& settings);

/// Pictures and their masks at the size that is asked for. Records fit_in and fit_out.
[[nodiscard]] PictureValues fitStage(StageContext& context, const FitRequest& request);

}  // namespace lowtide::models
