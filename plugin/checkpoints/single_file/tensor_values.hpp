#pragma once

#include "plugin/nn/blocks/network_builder.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::models {

/// The numbers of a small tensor of floats, read from its file: at most 262144. Nothing where the
/// file has no such tensor. Errors: those of files::InputFile.
[[nodiscard]] std::optional<std::vector<double>> readValues(const WeightMap& file,
                                                            const std::string& name);

/// The numbers of tensors with one element, in the order of `names`, read in one pass over the
/// file. Floats, integers and truth values; NaN where a number is not finite. Error{Corrupt} names
/// file and tensor where there is no such tensor; and those of files::InputFile.
[[nodiscard]] std::vector<double> readScalars(const WeightMap& file,
                                              std::span<const std::string> names);

}  // namespace lowtide::models
