#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace lowtide::fuzz {

/// Reads bytes as the target does and checks what it gives. Whether the reader took them: false
/// when it refused them with a lowtide::Error. Throws Broken when the reader breaks a guarantee;
/// what else is thrown is a finding too.
using RunInput = bool (*)(std::span<const std::byte> bytes);

struct Target {
    std::string name;  ///< also that of its archive of inputs
    RunInput run = nullptr;
};

/// Of use before main alone: each file of targets/ calls it for the one target that it holds.
bool enterTarget(const char* name, RunInput run);

/// The target of that name; with an empty one the only target of the program. std::runtime_error
/// when there is none.
[[nodiscard]] const Target& targetNamed(const std::string& name);

}  // namespace lowtide::fuzz
