#pragma once

#include "plugin/memory/component_ids.hpp"
#include "plugin/memory/weight_change.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <vector>

namespace lowtide::residency {

/// A change with its factors, where the weight lies: in the order of WeightChange::factors, each in
/// the type and shape of its file.
struct FactoredChange {
    const memory::WeightChange* change = nullptr;
    std::vector<at::Tensor> factors;
};

/// Changes of one weight with what `factorOf` gives of each factor.
[[nodiscard]] std::vector<FactoredChange> factored(
    std::span<const memory::WeightChange* const> changes,
    const std::function<at::Tensor(memory::WeightId)>& factorOf);

/// The mathematics of weight changes; the composition root supplies it. Its bits depend on what it
/// is given alone, and tensors without values (meta) take the memory that others would.
class ChangeMath {
public:
    virtual ~ChangeMath() = default;
    /// Applies all changes of one weight, in their order. `weight`: f32, of its own shape,
    /// row-major or turned (which gives other bits), from the begin of a line of the cache on;
    /// changed in place.
    virtual void apply(at::Tensor& weight, std::span<const FactoredChange> changes) const = 0;
    /// The same for rows `ids` (int64, flat, host) of a table of which `rows` (f32, [n, columns])
    /// are all that is there; factors lie on the host.
    virtual void applyToRows(at::Tensor& rows,
                             const at::Tensor& ids,
                             std::span<const FactoredChange> changes) const = 0;
};

}  // namespace lowtide::residency
