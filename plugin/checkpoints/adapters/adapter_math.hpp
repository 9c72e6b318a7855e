#pragma once
// Weight deltas as residency asks for them: neighbouring products as one, DoRA's lengths.

#include "plugin/residency/weight_source.hpp"

namespace lowtide::models {

/// Weight deltas by their kinds (delta_kind). Neighbouring products (LoRA, LoCon) of one weight
/// become one, in place, with no memory but their factors in f32; other kinds take some rows at a
/// time. The row-major weight and the transposed one get other bits, of equal worth.
/// Errors: Error{Unsupported} for a kind that is not built; for rows, also for one that changes
/// whole weights only.
class AdapterMath final : public residency::DeltaMath {
public:
    /// `weight` begins at a line of the cache, as what ATen and arenas allocate.
    void apply(at::Tensor& weight, std::span<const residency::FactoredDelta> deltas) const override;
    void applyToRows(at::Tensor& rows,
                     const at::Tensor& ids,
                     std::span<const residency::FactoredDelta> deltas) const override;
};

/// The one that engines and dry runs are made with.
[[nodiscard]] const AdapterMath& adapterMath();

}  // namespace lowtide::models
