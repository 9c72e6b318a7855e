#pragma once

#include <cstdint>
#include <string>

namespace lowtide::module {

/// Why this module must not be used by a program with this ABI and toolchain; empty when it may.
[[nodiscard]] std::string refusalFor(uint32_t abi, const char* toolchain);

}  // namespace lowtide::module
