#pragma once

#include "plugin/checkpoints/layouts/layout.hpp"

#include <string>

namespace lowtide::testing {

class ToyCheckpoint;

/// A layout that the program does not have: one file whose tensors are named "toy.COMPONENT.NAME",
/// with the settings of each component in its metadata.
[[nodiscard]] const models::Layout& toyLayout();

/// Writes a checkpoint as a file of that layout.
void writeToyFile(const ToyCheckpoint& checkpoint, const std::string& path);

}  // namespace lowtide::testing
