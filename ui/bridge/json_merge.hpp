#pragma once

#include "plugin/base/json.hpp"

namespace lowtide::ui {

/// What `mine` and `theirs` make of `base` together: of objects member by member, of lists of texts
/// what either added or took away. Where both changed one value, mine stands.
[[nodiscard]] Json merged(const Json& base, const Json& mine, const Json& theirs);

}  // namespace lowtide::ui
