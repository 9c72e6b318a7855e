#pragma once

#include <string>

namespace lowtide::residency {

/// Why the system's loader did not do what it was asked last on this thread.
[[nodiscard]] std::string loaderReason();

}  // namespace lowtide::residency
