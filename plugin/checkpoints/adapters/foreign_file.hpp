#pragma once

#include "plugin/nn/blocks/network_builder.hpp"

namespace lowtide::models {

/// Error{Unsupported} says what a file is in which no tensor is an adapter's: a checkpoint, an
/// autoencoder, an embedding, a ControlNet, ...
void refuseForeignFile(const WeightMap& file);

/// Error{Unsupported} of a file with tensors of adapters, none of which names a layer.
[[noreturn]] void refuseWithoutLayers(const WeightMap& file);

}  // namespace lowtide::models
