#pragma once

#include "plugin/memory/resolve_precision.hpp"

namespace lowtide::models {

/// What WAN states of precision: f32 as files have it, bf16 with what the reference keeps in f32,
/// and f16 sums nowhere.
[[nodiscard]] const memory::FamilyPrecision& wanPrecisions();

}  // namespace lowtide::models
