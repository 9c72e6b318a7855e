#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// The shape of the result for pictures [B, 3, H, W]. Error{InvalidInput} names the setting that
/// cannot be.
[[nodiscard]] Shape upscaledShape(const Shape& imageShape, const UpscaleWithModelRequest& settings);

/// Pictures enlarged by a network, one after the other, whole or in tiles. Polls "cancel after this
/// image" between pictures and "now" before every tile. Records upscale_in, upscale_raw (before
/// the clamp) and upscale_out.
[[nodiscard]] WireRef upscaleWithModelStage(StageContext& context,
                                            const UpscaleWithModelRequest& request,
                                            const StageCall& call);

}  // namespace lowtide::models
