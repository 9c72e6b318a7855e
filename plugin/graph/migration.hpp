#pragma once

#include "plugin/base/json_fwd.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace lowtide::graph {

/// Rewrites a document of one format as the next one. Pure; sees a JSON object.
using Migration = std::function<void(Json&)>;

/// The linear list: entry i turns format i + 1 into format i + 2. A default that changed is stated
/// where it was left out, so that an old graph makes its old picture.
[[nodiscard]] std::span<const Migration> migrations();

/// Brings `document` to format `newest` by the entries that are missing, and sets its `format`.
/// Errors: Error{Corrupt} when it is no object, has no whole `format` or one below 1;
/// Error{Unsupported} names both numbers when it is newer than `newest`.
void migrate(Json& document, std::span<const Migration> list, int64_t newest);

}  // namespace lowtide::graph
