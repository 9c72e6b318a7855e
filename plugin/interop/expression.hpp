#pragma once

#include "plugin/base/json.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lowtide::interop {

/// The value of an expression as ComfyUI's maths nodes take it: Python's arithmetic, comparisons,
/// `and`, `or`, `not`, `a if b else c`, bit operations, and abs, ceil, floor, round, int, float,
/// min, max, sqrt, pow, log, exp, sin, cos, tan. Names are those of `values`, numbers and truths.
/// Nothing: it is none, a name is not known, or the result is no finite number.
/// Reads at most 4096 bytes and nests at most 50 deep.
[[nodiscard]] std::optional<Json> evaluate(std::string_view expression,
                                           const std::map<std::string, Json>& values);

}  // namespace lowtide::interop
