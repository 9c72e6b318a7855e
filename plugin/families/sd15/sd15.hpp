#pragma once
// Stable Diffusion 1.x and 2.x: how they are recognised, their components, prompts, precision and
// preview colours.

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What Stable Diffusion 1.x and 2.x state about precision. 2.x gives black images where products
/// are summed in half precision, and a file with upcast_attention states so itself: none of the
/// presets with `sumsInF32` does.
[[nodiscard]] const memory::FamilyPrecision& sd15Precisions(bool sumsInF32);

}  // namespace lowtide::models
