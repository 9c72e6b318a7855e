#pragma once

#include "plugin/host_api/runner.hpp"

#include <string>

namespace lowtide::module {

/// The one plugin of this process; nullptr with the reason when this process cannot have it.
[[nodiscard]] Plugin* openPlugin(std::string& refusal);

}  // namespace lowtide::module
