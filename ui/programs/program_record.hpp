#pragma once
// A program in JSON, as journals, locks and sessions keep it.

#include "plugin/base/json.hpp"
#include "ui/programs/os.hpp"

#include <string>

namespace lowtide::ui {

[[nodiscard]] Json toJson(const os::Program& program);
/// Error{Corrupt}, which names it as `what`.
[[nodiscard]] os::Program programFrom(const Json& json, const char* what);
/// Error{Corrupt} where there is none.
[[nodiscard]] std::string requiredText(const JsonReader& reader, const char* key);

}  // namespace lowtide::ui
