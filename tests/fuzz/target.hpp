#pragma once

#include <cstddef>
#include <span>

namespace lowtide::fuzz {

/// The name of the one target that a program holds; also that of its folder of inputs.
[[nodiscard]] const char* targetName();

/// Reads `bytes` as the target does and checks what it gives. Whether the reader took them: false
/// when it refused them with a lowtide::Error. Throws Broken when a promise of the reader does not
/// hold; what else is thrown is a finding too.
[[nodiscard]] bool runInput(std::span<const std::byte> bytes);

}  // namespace lowtide::fuzz
