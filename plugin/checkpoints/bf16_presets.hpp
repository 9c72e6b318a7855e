#pragma once

#include "plugin/memory/resolve_precision.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Presets of families with transformers: quality is f32 as files have it; balanced holds and
/// computes text encoders and denoisers in bf16, speed the autoencoder too. Others stay exact.
[[nodiscard]] decltype(memory::FamilyPrecision::presets) bf16Presets(
    const std::vector<std::string>& textEncoders,
    const std::vector<std::string>& denoisers,
    const std::vector<std::string>& others = {});

}  // namespace lowtide::models
