#pragma once

#include "ui/document/edits.hpp"

#include <optional>

namespace lowtide::ui {

/// What a person sees of the canvas.
struct ViewPlace {
    Point centre;
    double zoom = 1;
};

/// The view that a document keeps under a number from 1 to 9; nothing where none is kept, or what
/// is there is no view. Its key is "bookmarks", which the engine does not read.
[[nodiscard]] std::optional<ViewPlace> bookmarkOf(const graph::Document& document, int number);
void setBookmark(graph::Document& document, int number, const ViewPlace& place);

}  // namespace lowtide::ui
