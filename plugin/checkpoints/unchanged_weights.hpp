#pragma once

#include "plugin/memory/weight_file.hpp"

#include <string>
#include <vector>

namespace lowtide::models {

/// Whether every file is still the one that was read.
[[nodiscard]] bool areUnchanged(const std::vector<memory::WeightFile>& files);
/// Error{Corrupt} that begins with `what` unless they are.
void requireUnchanged(const std::vector<memory::WeightFile>& files, const std::string& what);

/// Identity of files as 64 hexadecimal digits: names, sizes, times of change.
[[nodiscard]] std::string fingerprintOf(std::span<const memory::WeightFile> files);

}  // namespace lowtide::models
