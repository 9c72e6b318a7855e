#pragma once

#include "nodes/conditioning/conditioning_edit.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"

namespace lowtide::tensor {
class Conditioning;
}

namespace lowtide::nodes {

/// What would have been known of a conditioning.
[[nodiscard]] models::ConditioningOutline outlineOf(const tensor::Conditioning& conditioning);

/// The edit on conditionings with tensors; the result lies where the first one lies. Definitions
/// and sources: conditioning_edit.hpp. Error{InvalidInput} names the port or the setting.
[[nodiscard]] memory::WireRef editedConditioning(const ConditioningEdit& edit);

}  // namespace lowtide::nodes
