#pragma once

#include "plugin/base/issue.hpp"
#include "ui/bridge/node_status.hpp"
#include "ui/canvas/node_face.hpp"
#include "ui/canvas/node_layout.hpp"

#include <QPainter>

namespace lowtide::ui {

/// Under this zoom no text is painted but titles, as large as on a screen.
inline constexpr double kTextZoom = 0.4;
/// Under this zoom texts are painted larger than their areas are meant for, and cut shorter: at its
/// own size a letter would be too small to be read.
inline constexpr double kLargeTextZoom = 0.66;

/// Everything that a node looks like at this moment; points into its item.
struct NodeAppearance {
    const NodeFace& face;
    const NodeLayout& layout;
    const NodeTexts& texts;  ///< from afar the title alone, in pixels
    const NodeStatus& status;
    const NodeIssues& issues;
    const QImage& nodeImage;  ///< scaled to the pixels that it takes
    NodePartAt hovered;
    std::string marked;  ///< a port or row that is pointed out
    bool isSelected = false;
};

/// Marks at the right end of a node's header, from right to left.
enum class HeaderMark { Issue, Lossy, Mode, Pin };
[[nodiscard]] std::vector<HeaderMark> headerMarks(const NodeFace& face, const NodeStatus& status);

/// Paints from the node's top left corner. `zoom`: pixels of a canvas unit.
void paintNode(QPainter& painter, const NodeAppearance& node, const Look& look, double zoom);

}  // namespace lowtide::ui
