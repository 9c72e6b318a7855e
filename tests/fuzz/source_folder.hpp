#pragma once

#include <string>

namespace lowtide::fuzz {

/// The top folder of the sources.
[[nodiscard]] std::string sourceFolder();

}  // namespace lowtide::fuzz
