#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// Error{InvalidInput} names the setting that cannot be.
void checkMaskGrow(const MaskGrowRequest& settings);

/// Masks made larger (each pixel gets the highest value around it) or smaller (the lowest), pixel
/// by pixel, then blurred by a gaussian up to three deviations, the border repeated. Stops between
/// pixels. Sources: ComfyUI GrowMask (tapered: the four neighbours; square: the eight);
/// scipy.ndimage.gaussian_filter(mode "nearest", truncate 3). Records mask_in and mask.
[[nodiscard]] WireRef growMaskStage(StageContext& context,
                                    const MaskGrowRequest& request,
                                    const StageCall& call);

}  // namespace lowtide::models
