#pragma once

#include "plugin/checkpoints/adapters/adapter_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// The factors that a layer of its kind needs and lacks: "up".
[[nodiscard]] std::vector<std::string> missingFactors(const AdapterLayer& layer);

/// What its alpha is divided by; nothing for kinds without a rank, and for Kronecker products of
/// whole matrices.
[[nodiscard]] std::optional<int64_t> rankOf(const AdapterLayer& layer);

/// The shape of the change that a layer's factors make: [outputs, inputs, kernel], or, where a
/// factor says them as one, [outputs, columns]. Of kind scale that of its numbers. Error{Corrupt}
/// names file and keys of factors that do not go together.
[[nodiscard]] Shape changeShapeOf(const AdapterLayer& layer, const std::string& what);

/// Whether a change of that shape is one of a weight: convolutions of 1x1 and matrices are the
/// same.
[[nodiscard]] bool fitsWeight(const AdapterLayer& layer, const Shape& change, const Shape& weight);

/// Whether DoRA's lengths of that shape are one for each output of a weight ([O, 1, ...]); else
/// they are of inputs ([1, I, 1, ...]).
[[nodiscard]] bool areOutputLengths(const Shape& lengths, const Shape& weight);
/// Whether the lengths of a layer that is a DoRA are those of a weight.
[[nodiscard]] bool doraFits(const AdapterLayer& layer, const Shape& weight);

}  // namespace lowtide::models
