#pragma once
// What is known of a conditioning. Torch-free.

#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"

namespace lowtide::tensor {
class Conditioning;
}

namespace lowtide::nodes {

/// A conditioning as it is known before the run.
struct ConditioningShape {
    Shape shape;  ///< [1, T, D]
    /// executor::ValueOutline::value of what made it; null: one prompt that has embeds of that
    /// shape alone, everywhere and always.
    memory::WireRef entries;
};

/// What is known of a wire. Error{InvalidInput} on port `item` for a shape of no conditioning.
[[nodiscard]] models::ConditioningOutline outlineOf(const ConditioningShape& known,
                                                    const char* item);

/// What would have been known of a conditioning.
[[nodiscard]] models::ConditioningOutline outlineOf(const tensor::Conditioning& conditioning);

}  // namespace lowtide::nodes
