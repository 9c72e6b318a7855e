#pragma once

#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// Of the values that a picture file of that size gives.
[[nodiscard]] PictureOutline pictureOutline(int64_t heightPixels, int64_t widthPixels);

/// As Stages::outlineEncodeImage().
[[nodiscard]] StageOutline imageEncodeOutline(const ImageEncodeShapes& shapes,
                                              const ImageEncodeRequest& settings);

/// As Stages::outlineMask().
[[nodiscard]] StageOutline maskOutline(const Shape& imageShape, const MaskRequest& settings);

}  // namespace lowtide::models
