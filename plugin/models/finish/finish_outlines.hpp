#pragma once

#include "plugin/models/stages.hpp"

namespace lowtide::models {

/// As the functions of the same names of Stages.
[[nodiscard]] StageOutline sharpenOutline(const Shape& imageShape, const SharpenRequest& settings);
[[nodiscard]] StageOutline matchColourOutline(const Shape& imageShape,
                                              const Shape& referenceShape,
                                              const MatchColourRequest& settings);
[[nodiscard]] StageOutline detailOutline(const DetailShapes& shapes, const DetailRequest& settings);

}  // namespace lowtide::models
