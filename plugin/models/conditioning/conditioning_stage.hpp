#pragma once

#include "plugin/models/conditioning/conditioning_edit.hpp"

namespace lowtide::models {

/// The edit on conditionings with tensors; the result lies where the first one lies. Definitions
/// and sources: conditioning_edit.hpp. Error{InvalidInput} names the port or the setting.
[[nodiscard]] memory::WireRef editedConditioning(const ConditioningEdit& edit);

}  // namespace lowtide::models
