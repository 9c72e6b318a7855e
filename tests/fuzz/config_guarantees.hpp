#pragma once

#include "plugin/base/json_fwd.hpp"

namespace lowtide::fuzz {

/// Reads settings of a UNet and checks that a network of them can be described. As runInput().
[[nodiscard]] bool checkUNetConfig(const Json& settings);
/// The same of an autoencoder.
[[nodiscard]] bool checkAutoencoderConfig(const Json& settings);

}  // namespace lowtide::fuzz
