#pragma once

#include "plugin/memory/component_tree.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

namespace lowtide::testing {

/// The tree with another storage ("f32", "f16", "bf16", "f8", "file") and compute type.
[[nodiscard]] std::shared_ptr<const memory::ComponentTree> typed(const memory::ComponentTree& tree,
                                                                 const std::string& storage,
                                                                 const std::string& compute);
/// "f16", "bf16", else f32.
[[nodiscard]] at::ScalarType floatTypeNamed(const std::string& name);
/// e4m3 with a power of two for each row, by ATen's operators alone.
[[nodiscard]] at::Tensor roundedToF8(const at::Tensor& hostWeight);
/// What a network must see of a master of f32 that is stored in one type and computed in another.
[[nodiscard]] at::Tensor storedAs(const at::Tensor& hostWeight,
                                  const std::string& storage,
                                  const std::string& compute);

}  // namespace lowtide::testing
