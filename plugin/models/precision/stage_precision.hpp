#pragma once

#include "plugin/memory/precision.hpp"
#include "plugin/memory/wire_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Resolves what is asked of the network of `role` in `loaded`, a model or an upscaler, and makes
/// `loaded` the value that is stored and computed so. Reads no weight. Errors: those of
/// memory::resolvePrecision().
[[nodiscard]] memory::ComponentPrecision usePrecision(memory::WireRef& loaded,
                                                      std::string_view role,
                                                      const memory::PrecisionChoice& choice);

/// The same for each of `roles`, one after another.
[[nodiscard]] std::vector<memory::ComponentPrecision> usePrecisions(
    memory::WireRef& loaded,
    const std::vector<std::string>& roles,
    const memory::PrecisionChoice& choice);

}  // namespace lowtide::models
