#pragma once

#include "plugin/base/shape.hpp"
#include "plugin/models/adapters/named_factors.hpp"
#include "plugin/models/adapters/row_change.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Shapes of a change's factors, by their names.
using FactorShapes = std::map<std::string, Shape, std::less<>>;

/// Sets of factors that serve one purpose. A change has the whole of one set and nothing of the
/// others; of an optional choice it may have none.
struct FactorChoice {
    std::vector<std::vector<std::string>> sets;
    bool isOptional = false;
};

/// A change as one product: left [O, r], right [r, N], of any floating type.
struct FactorPair {
    at::Tensor left;
    at::Tensor right;
};

/// The mathematics of one kind of weight change. Each has a folder `changes/<folder>/` with
/// `const ChangeKind& <folder>();` and one lowtide_add line. A weight [O, I, ...] is the matrix
/// [O, N]; shapes differ by trailing ones between layers of pixels and linear layers.
struct ChangeKind {
    std::string name;  ///< WeightChange::kind
    std::vector<FactorChoice> factors;
    /// Error{Corrupt} names the factor whose shape does not fit a weight of shape `weight`, what
    /// was expected and what was seen. Called by checkFactors() for complete sets of factors.
    void (*checkShapes)(const Shape& weight, const FactorShapes& factors) = nullptr;
    /// What an alpha is divided by; 0 for changes that alphas do not scale. Empty: never any.
    int64_t (*rank)(const FactorShapes& factors) = nullptr;
    /// The change, for rows of a weight of shape `weight`.
    std::unique_ptr<const RowChange> (*rows)(const Shape& weight,
                                             const NamedFactors& factors) = nullptr;
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

/// Whether these factors are a change of a weight of that shape. Error{Corrupt} names the factor:
/// unknown, missing, one too many, empty (rank 0) or of another shape. Callers add the file.
void checkFactors(const ChangeKind& kind, const Shape& weight, const FactorShapes& factors);

/// WeightChange::scale: alpha / rank; 1 without an alpha, and for an alpha of 0, as kohya and
/// LyCORIS load it (ComfyUI and A1111 scale by 0). `factors` are those of checkFactors().
/// Error{Corrupt} where alpha is no finite number.
[[nodiscard]] double scaleOf(const ChangeKind& kind,
                             std::optional<double> alpha,
                             const FactorShapes& factors);

}  // namespace lowtide::models
