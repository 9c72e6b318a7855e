#pragma once

#include "plugin/models/blocks/network_builder.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::models {

/// The numbers of a small tensor of floats, read from its file: at most 65536. Nothing where the
/// file has no such tensor. Errors: those of files::InputFile.
[[nodiscard]] std::optional<std::vector<double>> readValues(const WeightMap& file,
                                                            const std::string& name);

}  // namespace lowtide::models
