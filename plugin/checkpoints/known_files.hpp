#pragma once

#include "plugin/checkpoints/known_names.hpp"

#include <optional>

namespace lowtide::models {

/// As knownByNames(), upscalers too.
[[nodiscard]] std::optional<KnownFile> knownFile(const WeightMap& file);

}  // namespace lowtide::models
