#pragma once
// Z-Image: what it is told by, its components, prompts and denoiser, and its precision.

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What Z-Image states of precision: f32 as files have it; bf16 with time and norms in f32.
[[nodiscard]] const memory::FamilyPrecision& zimagePrecisions();

}  // namespace lowtide::models
