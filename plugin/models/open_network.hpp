#pragma once

#include "plugin/models/checkpoint.hpp"

#include <string>

namespace lowtide::models {

/// Opens one component of a checkpoint as a family would, to see whether it is complete: settings
/// and headers, no weight, no tokenizer. Errors are those of the network, and Error{Unsupported}
/// for one that no family reads. What is no network that is built here is passed over.
void openNetwork(Checkpoint& checkpoint, const std::string& component);

}  // namespace lowtide::models
