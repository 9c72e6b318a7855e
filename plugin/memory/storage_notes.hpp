#pragma once

#include "plugin/memory/resolve_precision.hpp"

#include <string>
#include <vector>

namespace lowtide::memory {

/// Whether numbers were rounded to lie so, to eight bits or fewer: fp8, int8, GGUF's blocks, ...
/// Where a file has such and no storage is asked for, settled() stores a component as its file has
/// it, under every preset (decision 0068).
[[nodiscard]] bool isQuantised(const FileType& type);

/// Sentences on the bytes of a component that is stored so: what its quantised file takes as it is
/// and decoded, and what weights that adapters change take while they stream. `precision`: settled.
[[nodiscard]] std::vector<std::string> storageNotes(const ComponentTree& tree,
                                                    const ComponentPrecision& precision);

}  // namespace lowtide::memory
