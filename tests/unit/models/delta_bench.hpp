#pragma once

#include "plugin/checkpoints/adapters/adapter_file.hpp"
#include "plugin/residency/weight_source.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::testing {

using FactorShapes = std::map<std::string, Shape, std::less<>>;

/// A layer of a file as its reader leaves it.
[[nodiscard]] models::AdapterLayer settledLayer(const std::string& kind,
                                                const FactorShapes& factors,
                                                std::optional<double> alpha = std::nullopt);
/// Whether its factors are there, go together and change a weight of that shape.
[[nodiscard]] bool adaptsWeight(const models::AdapterLayer& layer, const Shape& weight);

/// Deltas of one weight with factors in host memory, for tests of their mathematics.
class Deltas {
public:
    using Factors = std::map<std::string, at::Tensor, std::less<>>;

    /// The scale follows from alpha and shapes, which are checked.
    Deltas& add(const std::string& kind,
                const Shape& weight,
                const Factors& factors,
                double strength = 1,
                std::optional<double> alpha = std::nullopt);

    [[nodiscard]] std::vector<residency::FactoredDelta> list() const;

    /// A copy of `weight` with all of them, row-major; that one is left as it is.
    [[nodiscard]] at::Tensor appliedTo(const at::Tensor& weight) const;

    /// The same with each factor as `make` makes it: on a device, at an address, as a shape alone.
    [[nodiscard]] Deltas with(const std::function<at::Tensor(const at::Tensor&)>& make) const;

private:
    struct Entry {
        std::shared_ptr<memory::WeightDelta> delta;
        std::vector<at::Tensor> factors;
    };

    std::vector<Entry> entries_;
};

/// Random factors of a low-rank change of a matrix.
[[nodiscard]] Deltas::Factors lowRankFactors(const Shape& weight,
                                             int64_t rank,
                                             c10::Device device = c10::kCPU);
/// One of each kind and form for a weight [O, I] or [O, I, 3, 3] with even sides.
[[nodiscard]] std::map<std::string, Deltas> oneOfEach(const Shape& weight,
                                                      c10::Device device = c10::kCPU);

}  // namespace lowtide::testing
