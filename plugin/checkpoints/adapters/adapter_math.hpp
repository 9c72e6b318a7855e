#pragma once
// Weight changes as residency asks for them: neighbouring products as one, DoRA's lengths.

#include "plugin/residency/weight_source.hpp"

namespace lowtide::models {

/// Weight changes by their kinds (change_kind). Neighbouring products (LoRA, LoCon) of one weight
/// become one, in place, with no memory but their factors in f32; other kinds take some rows at a
/// time. The row-major weight and the turned one get other bits, of equal worth.
/// Errors: Error{Unsupported} for a kind that is not built; for rows, also for one that changes
/// whole weights only.
class AdapterMath final : public residency::ChangeMath {
public:
    /// `weight` begins at a line of the cache, as what ATen and arenas allocate.
    void apply(at::Tensor& weight,
               std::span<const residency::FactoredChange> changes) const override;
    void applyToRows(at::Tensor& rows,
                     const at::Tensor& ids,
                     std::span<const residency::FactoredChange> changes) const override;
};

/// The one that engines and walks are made with.
[[nodiscard]] const AdapterMath& adapterMath();

}  // namespace lowtide::models
