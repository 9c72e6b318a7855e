#pragma once

#include "ui/studio/actions.hpp"

namespace lowtide::ui {

class GraphView;

/// Ties the actions of the canvas to its slots; keys of single letters work only while it has the
/// focus.
void connectCanvas(const Actions& actions, GraphView& view);

}  // namespace lowtide::ui
