#pragma once

#include "ui/studio/actions.hpp"

namespace lowtide::ui {

class GraphView;

/// Ties the actions of the canvas to its commands, and gives it the keys that a person chose.
void connectCanvas(const Actions& actions, GraphView& view);

}  // namespace lowtide::ui
