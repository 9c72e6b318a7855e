#pragma once
// FLUX.1: what it is told by, its components, prompts and denoiser, and its precision.

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What FLUX.1 states of precision: f32 as files have it; bf16 with the time and the norms of heads
/// in f32.
[[nodiscard]] const memory::FamilyPrecision& fluxPrecisions();

}  // namespace lowtide::models
