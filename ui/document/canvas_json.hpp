#pragma once
// How points, sizes and flags of the canvas stand in a document.

#include "ui/document/edits.hpp"
#include "ui/document/json_members.hpp"

#include <optional>

namespace lowtide::ui {

/// Of [x, y]; nothing when it is something else. A number that no canvas reaches becomes the
/// farthest one.
[[nodiscard]] std::optional<Point> pointFrom(const Json& json);
/// [x, y]; whole numbers are written as such.
[[nodiscard]] Json jsonOf(Point point);

/// Sets the flag, or removes its key.
void setFlag(Json& object, const char* key, bool isSet);

}  // namespace lowtide::ui
