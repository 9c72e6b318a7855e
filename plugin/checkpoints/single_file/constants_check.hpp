#pragma once
// Settings that no shape states are assumed to be the published ones; these checks refuse files
// that cannot have them, and say where to state others. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/single_file/beside_file.hpp"

#include <string>

namespace lowtide::models {

/// Error{Unsupported} when groups or heads of the UNet do not divide its channels.
void checkUNetConstants(const Json& settings, const std::string& what, const BesideFile& beside);
/// The same for the groups of the autoencoder.
void checkAutoencoderConstants(const Json& settings,
                               const std::string& what,
                               const BesideFile& beside);
/// The same for the heads of the text encoder.
void checkTextConstants(const Json& settings, const std::string& what, const BesideFile& beside);

}  // namespace lowtide::models
