#pragma once

#include "plugin/base/units.hpp"

#include <string>

namespace lowtide::ui {

/// As documents have it: "6GiB", "1536MiB", "4097".
[[nodiscard]] std::string budgetText(Bytes bytes);
/// The next figure above that a person would write: steps of a sixteenth of its power of two.
[[nodiscard]] Bytes roundedUp(Bytes bytes);

}  // namespace lowtide::ui
