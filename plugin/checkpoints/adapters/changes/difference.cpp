#include "plugin/checkpoints/adapters/change_kind.hpp"

#include <ATen/ATen.h>

namespace lowtide::models::changes {

namespace {

constexpr const char* kDifference = "difference";

class WholeDifference final : public RowChange {
public:
    explicit WholeDifference(const NamedFactors& factors)
        : values_(matrixOf(factors.get(kDifference))) {}

    void addTo(at::Tensor& rows, int64_t begin, double factor) const override {
        const int64_t count = rows.size(0);
        rows.add_(values_.scalar_type() == at::kFloat ? values_.narrow(0, begin, count)
                                                      : rowsInF32(values_, begin, count),
                  factor);
    }

private:
    at::Tensor values_;
};

std::unique_ptr<const RowChange> differenceRows(const NamedFactors& factors) {
    return std::make_unique<const WholeDifference>(factors);
}

}  // namespace

/// A whole difference (`diff`, `diff_b`, `w_norm`, `b_norm`) of any weight or bias; alphas do not
/// scale it. Source: LyCORIS 4.1.3 modules/full.py and norms.py.
const ChangeKind& difference() {
    static const ChangeKind kind{
        .name = "difference", .rows = differenceRows, .rowFactor = kDifference};
    return kind;
}

}  // namespace lowtide::models::changes
