#include "plugin/checkpoints/adapters/product_change.hpp"

#include <ATen/ATen.h>

namespace lowtide::models::changes {

namespace {

/// Names of one of the two products.
struct HadamardSide {
    const char* a;
    const char* b;
    const char* core;
};

constexpr HadamardSide kSides[] = {{"w1_a", "w1_b", "t1"}, {"w2_a", "w2_b", "t2"}};

FactorPair hadamardPair(const NamedFactors& factors, const HadamardSide& side) {
    const at::Tensor& a = factors.get(side.a);
    const at::Tensor& b = factors.get(side.b);
    if (const at::Tensor* const core = factors.find(side.core)) {
        return {flat(a).t(), rightOfCore(*core, b)};
    }
    return {flat(a), flat(b)};
}

class HadamardChange final : public RowChange {
public:
    explicit HadamardChange(const NamedFactors& factors)
        : first_(hadamardPair(factors, kSides[0])), second_(hadamardPair(factors, kSides[1])) {}

    void addTo(at::Tensor& rows, int64_t begin, double factor) const override {
        at::Tensor product = first_.rows(begin, rows.size(0));
        rows.add_(product.mul_(second_.rows(begin, rows.size(0))), factor);
    }

private:
    ProductChange first_;
    ProductChange second_;
};

std::unique_ptr<const RowChange> hadamardRows(const NamedFactors& factors) {
    return std::make_unique<const HadamardChange>(factors);
}

}  // namespace

/// LoHa: (w1_a w1_b) * (w2_a w2_b), number by number; a [O, r], b [r, I ...]. With Tucker cores
/// t1, t2 [r, r, ...] a is [r, O] and b [r, I]. LyCORIS merges a file with scale^2 where alpha is
/// not the rank (get_diff_weight scales twice); its training, ComfyUI and peft scale once, as here.
/// Source: LyCORIS 4.1.3 functional/loha.py.
const ChangeKind& hadamard() {
    static const ChangeKind kind{.name = "hadamard", .rows = hadamardRows};
    return kind;
}

}  // namespace lowtide::models::changes
