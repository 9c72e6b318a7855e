#pragma once

#include "plugin/checkpoints/network.hpp"

namespace lowtide::models {

/// HiDream-I1's transformer: its names in files, and the settings derived from shapes. All but what
/// opens it; torch-free.
[[nodiscard]] Network hidreamNetwork();

}  // namespace lowtide::models
