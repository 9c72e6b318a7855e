#pragma once

#include "plugin/checkpoints/weight_file.hpp"

#include <string>

namespace lowtide::models {

/// "embedding for SD 1.x, 3 vectors"; from the header alone. Errors: those of embeddingTensors().
[[nodiscard]] std::string whatEmbeddingIs(const WeightFileHeader& header);

}  // namespace lowtide::models
