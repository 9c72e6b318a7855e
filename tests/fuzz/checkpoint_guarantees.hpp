#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/files/torch_file.hpp"

#include <span>

namespace lowtide::fuzz {

/// Reads settings of a UNet and checks that a network of them can be described. As runInput().
[[nodiscard]] bool checkUNetConfig(const Json& settings);
/// The same of an autoencoder.
[[nodiscard]] bool checkAutoencoderConfig(const Json& settings);

/// Reads a file of torch.save and checks that every tensor lies inside it, whatever its strides.
/// As runInput().
[[nodiscard]] bool readTorchFile(std::span<const std::byte> file);

}  // namespace lowtide::fuzz
