#pragma once
// Members of JSON whose shape nobody has checked.

#include "plugin/base/json.hpp"

#include <string>

namespace lowtide::interop {

/// The member of that name; null where there is none, or `object` is no object.
[[nodiscard]] inline const Json& memberIn(const Json& object, const char* key) {
    static const Json kNothing;
    if (!object.is_object()) {
        return kNothing;
    }
    const auto found = object.find(key);
    return found == object.end() ? kNothing : *found;
}

/// Empty where it is no text.
[[nodiscard]] inline std::string textIn(const Json& object, const char* key) {
    const Json& member = memberIn(object, key);
    return member.is_string() ? member.get<std::string>() : std::string();
}

/// The member where it is a list, else an empty list.
[[nodiscard]] inline const Json& listIn(const Json& object, const char* key) {
    static const Json kEmpty = Json::array();
    const Json& member = memberIn(object, key);
    return member.is_array() ? member : kEmpty;
}

/// A value as a word that maps have: "true", "lanczos", "2".
[[nodiscard]] inline std::string wordOf(const Json& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lowtide::interop
