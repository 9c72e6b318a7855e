#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/canvas/look.hpp"
#include "ui/canvas/node_layout.hpp"
#include "ui/canvas/painted_text.hpp"

#include <vector>

namespace lowtide::ui {

/// Large: to be read from afar, at less than kLargeTextZoom.
enum class TextSize { Normal, Large };

/// Title, labels and values of a node, laid out for painting.
struct NodeTexts {
    std::vector<PaintedText> face;  ///< the title is the first
    std::vector<PaintedText> footer;
};

/// Widths of the rows' labels, for layoutNode().
[[nodiscard]] std::vector<double> labelWidths(const NodeFace& face, const Look& look);

[[nodiscard]] std::vector<PaintedText> faceTexts(const NodeFace& face,
                                                 const NodeLayout& layout,
                                                 const Look& look,
                                                 TextSize size = TextSize::Normal);

/// Policy or category on the left; phase, or time and bytes, on the right.
[[nodiscard]] std::vector<PaintedText> footerTexts(const NodeFace& face,
                                                   const NodeStatus& status,
                                                   const NodeLayout& layout,
                                                   const Look& look,
                                                   TextSize size = TextSize::Normal);

/// "12 s", "340 ms": a duration as footers show it.
[[nodiscard]] QString shortDuration(double milliseconds);

/// Room that a row keeps free at its right end for a switch or an arrow.
[[nodiscard]] double rowMarkWidth(const RowFace& row);

}  // namespace lowtide::ui
