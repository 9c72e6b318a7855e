#pragma once

#include "plugin/checkpoints/adapters/change_kind.hpp"

namespace lowtide::models {

/// left right, as what a change adds.
class ProductChange final : public RowChange {
public:
    explicit ProductChange(const FactorPair& pair);
    void addTo(at::Tensor& rows, int64_t begin, double factor) const override;
    /// The rows themselves, f32.
    [[nodiscard]] at::Tensor rows(int64_t begin, int64_t count) const;

private:
    at::Tensor left_;
    at::Tensor right_;  ///< f32
};

/// A Tucker core [i, j, ...] times the side of its inputs [j, q]: the right [i, q ...] of a pair,
/// f32. Source: LyCORIS functional/general.py rebuild_tucker.
[[nodiscard]] at::Tensor rightOfCore(const at::Tensor& core, const at::Tensor& inputSide);

/// A factor [a, b, ...] as a matrix [a, b ...].
[[nodiscard]] at::Tensor flat(const at::Tensor& factor);

/// Neighbouring changes of one weight as one product: factors side by side along the rank, in f32,
/// in their order. The bits of two in one pack are not those of one after the other, so a pack is
/// closed by what was added, never by memory.
class ProductPack {
public:
    /// Whether one more keeps within the rank of a pack: beyond it factors would take more room
    /// than the weight. The first one always does.
    [[nodiscard]] bool fits(const FactorPair& pair) const;
    void add(FactorPair pair, double factor);
    /// Adds the product to a matrix [O, N], in place; empties the pack.
    void applyTo(at::Tensor& matrix);
    /// The same with bits of a row that depend neither on the others nor on their number.
    void applyToEachRow(at::Tensor& matrix);

private:
    struct Part {
        FactorPair pair;
        double factor;
    };

    [[nodiscard]] FactorPair joined(const at::Tensor& matrix) const;

    std::vector<Part> parts_;
    int64_t rank_ = 0;
};

}  // namespace lowtide::models
