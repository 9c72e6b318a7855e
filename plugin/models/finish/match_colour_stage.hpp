#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// For pictures [B, 3, H, W] and references [1 or B, 3, h, w]. Error{InvalidInput} names the input
/// or the setting that cannot be.
void checkMatchColour(const Shape& image,
                      const Shape& reference,
                      const MatchColourRequest& settings);

/// Pictures in the colours of others. Records match_in and match_out.
[[nodiscard]] WireRef matchColourStage(StageContext& context, const MatchColourRequest& request);

}  // namespace lowtide::models
