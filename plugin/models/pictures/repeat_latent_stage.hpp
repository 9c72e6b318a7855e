#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// The shape of the result for latents [B, ...]: [count B, ...]. Error{InvalidInput} names the
/// setting that cannot be.
[[nodiscard]] Shape repeatedShape(const Shape& latentShape, const LatentRepeatRequest& settings);

/// All latents of a batch one after the other, several times: 1 2 1 2. What a sampler remembers of
/// a pass before stays behind. Source: ComfyUI RepeatLatentBatch.
[[nodiscard]] WireRef repeatLatentStage(StageContext& context, const LatentRepeatRequest& request);

}  // namespace lowtide::models
