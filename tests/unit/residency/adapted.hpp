#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/weight_source.hpp"

#include <memory>
#include <optional>
#include <string>

namespace lowtide::testing {

/// Adds `strength * up @ down`; the kind is "low_rank", the factors are those two.
class LowRankMath final : public residency::DeltaMath {
public:
    void apply(at::Tensor& weight, std::span<const residency::FactoredDelta> deltas) const override;
    void applyToRows(at::Tensor& rows,
                     const at::Tensor& ids,
                     std::span<const residency::FactoredDelta> deltas) const override;
};

/// What an adapter is made like.
struct AdapterSettings {
    double strength = 1;
    DType type = DType::F32;  ///< of its factors
    double phase = 0;         ///< other values
    /// In place of the last value of each "down" and each layer.
    std::optional<double> odd{};
};

/// The tree with changes of rank 4 of all its matrices, gathered tables among them; the factors lie
/// in a file that is written to `path`.
[[nodiscard]] std::shared_ptr<const memory::ComponentTree> adapted(
    const memory::ComponentTree& tree, const std::string& path, AdapterSettings settings = {});

/// The tree with a layer [6, 10] composed into each leaf that is not gathered; they lie in a file
/// that is written to `path`.
[[nodiscard]] std::shared_ptr<const memory::ComponentTree> withLayers(
    const memory::ComponentTree& tree, const std::string& path, AdapterSettings settings = {});

/// What a network must see of such a layer, in f32.
[[nodiscard]] at::Tensor layerOf(const AdapterSettings& settings);

/// What a network must see of a weight of f32 of such a tree, before it is rounded to the type in
/// which it is stored.
[[nodiscard]] at::Tensor changed(const at::Tensor& hostWeight,
                                 const memory::Weight& weight,
                                 AdapterSettings settings);

}  // namespace lowtide::testing
