#include "plugin/models/adapters/dora.hpp"
#include "plugin/models/adapters/product_change.hpp"

namespace lowtide::models::changes {

const ChangeKind& low_rank();

namespace {

constexpr const char* kUp = "up";
constexpr const char* kDown = "down";
constexpr const char* kMid = "mid";

void checkLowRank(const Shape& weight, const FactorShapes& factors) {
    const WeightSides sides = sidesOf(weight, low_rank());
    const FactorShape up(weight, factors, kUp);
    const FactorShape down(weight, factors, kDown);
    up.requireShape({sides.outputs, up.size(1)});
    const int64_t rank = up.size(1);
    if (factors.contains(kMid)) {
        const FactorShape mid(weight, factors, kMid);
        down.requireShape({down.size(0), sides.inputs});
        mid.requireShape(withKernel({rank, down.size(0)}, sides.kernel));
    } else {
        down.requireShape(withKernel({rank, sides.inputs}, sides.kernel));
    }
    checkDora(weight, factors);
}

int64_t lowRankOf(const FactorShapes& factors) {
    return factors.find(kDown)->second.front();
}

FactorPair lowRankPair(const NamedFactors& factors) {
    const at::Tensor* const mid = factors.find(kMid);
    const at::Tensor& down = factors.get(kDown);
    return {flat(factors.get(kUp)), mid ? rightOfCore(*mid, down) : flat(down)};
}

std::unique_ptr<const RowChange> lowRankRows(const Shape& /*weight*/, const NamedFactors& factors) {
    return std::make_unique<const ProductChange>(lowRankPair(factors));
}

}  // namespace

/// LoRA and LoCon: up [O, r] down [r, I, ...]; with a Tucker core `mid` [r, r, ...] down is [r, I].
/// Source: LyCORIS 4.1.3 functional/locon.py; Hu et al. 2021.
const ChangeKind& low_rank() {
    static const ChangeKind kind{.name = "low_rank",
                                 .factors = {{.sets = {{kUp, kDown}}},
                                             {.sets = {{kMid}}, .isOptional = true},
                                             doraFactors()},
                                 .checkShapes = checkLowRank,
                                 .rank = lowRankOf,
                                 .rows = lowRankRows,
                                 .pair = lowRankPair,
                                 .rowFactor = kUp};
    return kind;
}

}  // namespace lowtide::models::changes
