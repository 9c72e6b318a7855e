#pragma once

#include <cstdint>
#include <string>

namespace lowtide::module {

/// Why this module must not be used by a program with this ABI and toolchain, and beside the
/// LibTorch that the process has loaded; empty when it may. A host's own LibTorch is shared when it
/// has the version that this module was built with.
[[nodiscard]] std::string refusalFor(uint32_t abi, const char* toolchain);
/// The part of it that concerns every host, in whatever language.
[[nodiscard]] std::string refusalOfProcess();

}  // namespace lowtide::module
