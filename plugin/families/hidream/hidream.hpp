#pragma once
// HiDream-I1: what it is told by, its components, prompts and denoiser, precision and preview
// colours.

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What HiDream-I1 states of precision: f32 as files have it; bf16 with the gates of experts, time
/// and norms in f32.
[[nodiscard]] const memory::FamilyPrecision& hidreamPrecisions();

}  // namespace lowtide::models
