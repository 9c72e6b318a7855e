#pragma once
// The kinds of weight deltas and their mathematics: products of factors (LoRA, LoHa, LoKr),
// scales, whole differences.

#include "plugin/residency/weight_source.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A delta's factors by their names.
class NamedFactors {
public:
    explicit NamedFactors(const residency::FactoredDelta& delta) : delta_(&delta) {}

    /// Nothing where the delta has no such factor.
    [[nodiscard]] const at::Tensor* find(std::string_view name) const;
    /// One that is there: missingFactors() has looked.
    [[nodiscard]] const at::Tensor& get(std::string_view name) const;

private:
    const residency::FactoredDelta* delta_;
};

/// A copy in f32, row-major, at the begin of a line of the cache: products have bits of its values
/// alone.
[[nodiscard]] at::Tensor inF32(const at::Tensor& values);

/// What a delta does to a weight's matrix [O, N], some rows at a time.
class RowDelta {
public:
    RowDelta() = default;
    virtual ~RowDelta() = default;
    RowDelta(const RowDelta&) = delete;
    RowDelta& operator=(const RowDelta&) = delete;

    /// Adds `factor` times the delta to `rows` [n, N], f32, which hold the weight's rows from
    /// `begin` on. It takes about as much memory in addition to them.
    virtual void addTo(at::Tensor& rows, int64_t begin, double factor) const = 0;
};

/// A weight as its matrix [O, N], over the same memory: [O, I, ...] is [O, I ...], [O] is [O, 1].
[[nodiscard]] at::Tensor matrixOf(const at::Tensor& weight);

/// Rows `begin` to `begin + count` of a matrix in f32, a copy of their own.
[[nodiscard]] at::Tensor rowsInF32(const at::Tensor& matrix, int64_t begin, int64_t count);

/// Calls `work(rows, begin)` for all rows of a matrix, so many at a time that they are half a
/// million numbers: which ones depends on the shape alone.
void forRows(const at::Tensor& matrix,
             const std::function<void(at::Tensor& rows, int64_t begin)>& work);

/// A delta as one product: left [O, r], right [r, N], of any floating type.
struct FactorPair {
    at::Tensor left;
    at::Tensor right;
};

/// The mathematics of one kind of weight delta, whose factors go together and fit the weight
/// (adapter_layers). Each is an entry of deltaKinds(). A weight [O, I, ...] is the matrix [O, N];
/// shapes differ by trailing ones between layers of pixels and linear layers.
struct DeltaKind {
    std::string name;  ///< WeightDelta::kind
    /// The delta, for rows of a weight.
    std::unique_ptr<const RowDelta> (*rows)(const NamedFactors& factors) = nullptr;
    /// The same as a product, so that neighbours can be one product together; empty where it is
    /// none.
    FactorPair (*pair)(const NamedFactors& factors) = nullptr;
    /// The factor with one row for each row of the weight, which is all that makes rows differ;
    /// empty where rows cannot be changed without the others.
    std::string rowFactor;
};

/// Every kind that is built.
[[nodiscard]] std::span<const DeltaKind* const> deltaKinds();
/// Error{Unsupported} names the kinds that are built.
[[nodiscard]] const DeltaKind& deltaKind(std::string_view name);

/// left right, as what a delta adds.
class ProductDelta final : public RowDelta {
public:
    explicit ProductDelta(const FactorPair& pair);
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

/// Neighbouring deltas of one weight as one product: factors side by side along the rank, in f32,
/// in their order. The bits of two in one pack are not those of one after the other, so a pack is
/// closed by what was added, never by memory.
class ProductPack {
public:
    /// Whether one more keeps within the rank of a pack: beyond it factors would take more memory
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
