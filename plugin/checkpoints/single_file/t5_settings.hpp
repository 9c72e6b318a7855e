#pragma once
// Settings of a T5 encoder that shapes tell, as transformers' config.json states them. Torch-free.

#include "plugin/base/json_fwd.hpp"
#include "plugin/nn/blocks/tensor_view.hpp"

namespace lowtide::models {

/// Of UMT5 where a layer behind the first one has biases of its own, else of T5. Error{Corrupt}
/// names a tensor that is missing.
[[nodiscard]] Json t5Settings(const TensorView& tensors);

}  // namespace lowtide::models
