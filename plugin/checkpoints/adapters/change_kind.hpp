#pragma once

#include "plugin/checkpoints/adapters/named_factors.hpp"
#include "plugin/checkpoints/adapters/row_change.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lowtide::models {

/// A change as one product: left [O, r], right [r, N], of any floating type.
struct FactorPair {
    at::Tensor left;
    at::Tensor right;
};

/// The mathematics of one kind of weight change, whose factors go together and fit the weight
/// (layer_parts). Each has a folder `changes/<folder>/` with `const ChangeKind& <folder>();` and
/// one lowtide_add line. A weight [O, I, ...] is the matrix [O, N]; shapes differ by trailing ones
/// between layers of pixels and linear layers.
struct ChangeKind {
    std::string name;  ///< WeightChange::kind
    /// The change, for rows of a weight.
    std::unique_ptr<const RowChange> (*rows)(const NamedFactors& factors) = nullptr;
    /// The same as a product, so that neighbours can be one product together; empty where it is
    /// none.
    FactorPair (*pair)(const NamedFactors& factors) = nullptr;
    /// The factor with one row for each row of the weight, which is all that makes rows differ;
    /// empty where rows cannot be changed without the others.
    std::string rowFactor;
};

/// Every kind that is built.
[[nodiscard]] std::span<const ChangeKind* const> changeKinds();
/// Error{Unsupported} names the kinds that are built.
[[nodiscard]] const ChangeKind& changeKind(std::string_view name);

}  // namespace lowtide::models
