#include "plugin/checkpoints/adapters/product_change.hpp"

namespace lowtide::models::changes {

namespace {

constexpr const char* kUp = "up";
constexpr const char* kDown = "down";
constexpr const char* kMid = "mid";

FactorPair lowRankPair(const NamedFactors& factors) {
    const at::Tensor* const mid = factors.find(kMid);
    const at::Tensor& down = factors.get(kDown);
    return {flat(factors.get(kUp)), mid ? rightOfCore(*mid, down) : flat(down)};
}

std::unique_ptr<const RowChange> lowRankRows(const NamedFactors& factors) {
    return std::make_unique<const ProductChange>(lowRankPair(factors));
}

}  // namespace

/// LoRA and LoCon: up [O, r] down [r, I, ...]; with a Tucker core `mid` [r, r, ...] down is [r, I].
/// Source: LyCORIS 4.1.3 functional/locon.py; Hu et al. 2021.
const ChangeKind& low_rank() {
    static const ChangeKind kind{
        .name = "low_rank", .rows = lowRankRows, .pair = lowRankPair, .rowFactor = kUp};
    return kind;
}

}  // namespace lowtide::models::changes
