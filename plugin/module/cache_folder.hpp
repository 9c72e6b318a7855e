#pragma once

#include <optional>
#include <string>

namespace lowtide::module {

/// Where this module keeps files between processes: what the host chose, else LOWTIDE_CACHE, both
/// seen from the current folder; else "lowtide" in XDG_CACHE_HOME, which the specification wants
/// absolute, or in .cache of the home folder. Empty where there is none. It may not exist yet.
[[nodiscard]] std::string cacheFolder(const std::optional<std::string>& chosen);

}  // namespace lowtide::module
