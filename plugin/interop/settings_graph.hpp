#pragma once

#include "plugin/interop/settings.hpp"
#include "plugin/interop/translate.hpp"

namespace lowtide::interop {

/// A graph from text to image with those settings: what the program does as far as it states it.
/// Errors as translatePrompt.
[[nodiscard]] Imported translateSettings(const ImageSettings& settings,
                                         const SamplerNames& names,
                                         const ImportNeeds& needs);

}  // namespace lowtide::interop
