#pragma once

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What Stable Diffusion 1.x and 2.x state of precision. 2.x turns black where products are summed
/// in half precision, so none of its presets does.
[[nodiscard]] const memory::FamilyPrecision& sd15Precisions(bool isVersion2);

}  // namespace lowtide::models
