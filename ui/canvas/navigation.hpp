#pragma once

#include "plugin/graph/document.hpp"

#include <QRectF>

#include <map>
#include <string>

namespace lowtide::ui {

enum class FocusDirection { Left, Right, Up, Down };

using NodeRects = std::map<std::string, QRectF>;

/// The node that lies next in that direction, near ones straight ahead first; empty: none. Without
/// a current node: the one at the top left.
[[nodiscard]] std::string adjacentNode(const NodeRects& rects,
                                       const std::string& current,
                                       FocusDirection direction);

/// Along the wires: Left to what feeds the node, Right to what it feeds, Up and Down among the
/// nodes that share a source with it. Empty: none.
[[nodiscard]] std::string nodeAlongWires(const graph::Document& document,
                                         const NodeRects& rects,
                                         const std::string& current,
                                         FocusDirection direction);

}  // namespace lowtide::ui
