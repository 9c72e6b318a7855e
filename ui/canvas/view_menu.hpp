#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QPainter>
#include <QString>

#include <set>
#include <string>

class QAction;
class QMenu;

namespace lowtide::ui {

class GraphView;

/// What bypassing these nodes would do, for nodes of which an input can be passed on: wires through
/// them, and a cross at each output out of which nothing would come.
void paintBypass(QPainter& painter, const GraphScene& scene, const std::set<std::string>& nodes);

/// Shows it on the canvas while the entry of the menu is pointed at.
void previewBypass(const QMenu& menu, const QAction& bypass, GraphView& view);

}  // namespace lowtide::ui
