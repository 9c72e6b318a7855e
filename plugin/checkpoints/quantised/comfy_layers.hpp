#pragma once

#include "plugin/checkpoints/quantised/quantised_layer.hpp"

namespace lowtide::models {

/// A layer as ComfyUI quantised it, whose companions `layer` collects. `what`: file and layer.
/// Error{Unsupported} names a format that is not read.
[[nodiscard]] TensorPlace comfyWeight(QuantisedLayer& layer,
                                      const Json& settings,
                                      const std::string& what);

}  // namespace lowtide::models
