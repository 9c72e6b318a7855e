#pragma once

#include <string>

namespace lowtide::module {

/// "2026-11-21", in universal time.
[[nodiscard]] std::string today();

}  // namespace lowtide::module
