#pragma once

#include "ui/canvas/graph_scene.hpp"

#include <QString>

namespace lowtide::ui {

/// The title of a node, its id where it is not shown.
[[nodiscard]] QString nodeName(const GraphScene& scene, const std::string& node);
/// The label of one of its ports.
[[nodiscard]] QString portName(const GraphScene& scene, const graph::PortRef& port, bool isOutput);
/// "Load checkpoint, Model": a port with its node.
[[nodiscard]] QString endName(const GraphScene& scene, const graph::PortRef& port, bool isOutput);
/// What the node does now, or did in the last run; empty: nothing.
[[nodiscard]] QString activityText(const NodeStatus& status);
/// Those that are not empty, a line each.
[[nodiscard]] QString linesOf(const QStringList& parts);

}  // namespace lowtide::ui
