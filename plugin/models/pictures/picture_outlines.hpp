#pragma once

#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// As the functions of like names of Stages.
[[nodiscard]] PictureOutline fitOutline(const FitShapes& shapes, const FitRequest& settings);
[[nodiscard]] StageOutline compositeOutline(const CompositeShapes& shapes,
                                            const CompositeRequest& settings);
[[nodiscard]] StageOutline growMaskOutline(const Shape& maskShape, const MaskGrowRequest& settings);
[[nodiscard]] StageOutline repeatLatentOutline(const Shape& latentShape,
                                               const WireRef& known,
                                               const LatentRepeatRequest& settings);

}  // namespace lowtide::models
