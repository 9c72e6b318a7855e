#pragma once

#include "plugin/base/json.hpp"

#include <string>

namespace lowtide::cli {

/// The text that `json` surely has under `key`.
[[nodiscard]] inline std::string memberText(const Json& json, const char* key) {
    return json.at(key).get<std::string>();
}

}  // namespace lowtide::cli
