#pragma once

#include <optional>
#include <string>

namespace lowtide::module {

/// Where this module keeps files between processes: what the host `chose`, else LOWTIDE_CACHE, else
/// .cache/lowtide in the person's home folder. Empty where there is none. It may not exist yet.
[[nodiscard]] std::string cacheFolder(const std::optional<std::string>& chosen);

}  // namespace lowtide::module
