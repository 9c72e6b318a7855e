#pragma once

#include "ui/document/graph_model.hpp"

#include <functional>
#include <string_view>

namespace lowtide::ui {

/// Calls `visit` with the text of the document and with the values of nodes that steps of its undo
/// stack replaced or brought, so with all that undoing and redoing can bring back.
void visitTexts(GraphModel& model, const std::function<void(std::string_view)>& visit);

}  // namespace lowtide::ui
