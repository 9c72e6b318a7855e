#pragma once

#include "plugin/models/stage_context.hpp"
#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// The shape of the result: the destination's size, for as many pictures as the larger of both
/// has. Error{InvalidInput} names the input that does not go with the others.
[[nodiscard]] Shape compositeShape(const CompositeShapes& shapes);

/// The source laid on the destination with its upper left corner at (x, y), as far as both meet:
/// mask * source + (1 - mask) * destination. The mask gets the source's size, bilinear, where it
/// has another one. Source: ComfyUI ImageCompositeMasked; where x or y is negative, the part of the
/// source that lies inside is shown (ComfyUI shows its upper left part).
/// Records composite_in and composite_out.
[[nodiscard]] WireRef compositeStage(StageContext& context, const CompositeRequest& request);

}  // namespace lowtide::models
