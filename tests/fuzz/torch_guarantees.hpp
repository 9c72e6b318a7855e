#pragma once

#include "plugin/files/torch_file.hpp"

#include <span>

namespace lowtide::fuzz {

/// Reads a file of torch.save and checks that every tensor lies inside it, whatever its strides.
/// As runInput().
[[nodiscard]] bool readTorchFile(std::span<const std::byte> file);

}  // namespace lowtide::fuzz
