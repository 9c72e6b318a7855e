#pragma once

#include "plugin/base/json.hpp"

#include <string>

namespace lowtide::ui {

/// A member of JSON from outside, whose types are not guaranteed: null, an empty text or zero where
/// there is none, or one of another type.
[[nodiscard]] const Json& memberIn(const Json& object, const char* key);
[[nodiscard]] std::string textIn(const Json& object, const char* key);
[[nodiscard]] double numberIn(const Json& object, const char* key);
[[nodiscard]] int64_t bytesIn(const Json& object, const char* key);

}  // namespace lowtide::ui
