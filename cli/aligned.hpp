#pragma once

#include <string>
#include <vector>

namespace lowtide::cli {

/// A row of a table, each cell UTF-8. Rows may end early.
using Cells = std::vector<std::string>;

/// Lines in which the columns stand under each other: those before `firstNumber` at the left, the
/// others at the right.
[[nodiscard]] std::string aligned(const std::vector<Cells>& rows, size_t firstNumber);

}  // namespace lowtide::cli
