#pragma once
// How points, sizes and flags of the canvas stand in a document.

#include "ui/document/edits.hpp"

#include <optional>
#include <string>

namespace lowtide::ui {

/// Of [x, y]; nothing when it is something else. A number that no canvas reaches becomes the
/// farthest one.
[[nodiscard]] std::optional<Point> pointFrom(const Json& json);
/// [x, y]; whole numbers are written as such.
[[nodiscard]] Json jsonOf(Point point);

/// The member, null when there is none or `object` is no object.
[[nodiscard]] const Json& memberOf(const Json& object, const char* key);
/// The member where it is a text, else an empty one.
[[nodiscard]] std::string textOf(const Json& object, const char* key);
/// Sets the flag, or removes its key.
void setFlag(Json& object, const char* key, bool isSet);

}  // namespace lowtide::ui
