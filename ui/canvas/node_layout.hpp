#pragma once

#include "ui/bridge/node_status.hpp"
#include "ui/canvas/look.hpp"
#include "ui/canvas/node_face.hpp"

#include <QPointF>
#include <QRectF>
#include <QSize>

#include <optional>
#include <vector>

namespace lowtide::ui {

/// Measures of a node in canvas units; all on the rhythm of 4.
namespace node_measures {
inline constexpr double kLeastWidth = 224;
inline constexpr double kMostWidth = 320;
inline constexpr double kHeader = 32;
inline constexpr double kRow = 24;
inline constexpr double kFieldHeight = 20;
inline constexpr double kLine = 16;
inline constexpr double kPadding = 8;
inline constexpr double kFooter = 24;
inline constexpr double kRadius = 8;
inline constexpr double kPort = 5;  ///< half the width of a port's mark
inline constexpr double kMark = 16;
inline constexpr double kValueFraction = 0.45;  ///< of a row, which its value has at least
}  // namespace node_measures

struct PortSpot {
    QPointF centre;         ///< of a folded one: where the line in its place begins
    QRectF label;           ///< null where none is painted
    bool isFolded = false;  ///< not painted, and not under any point
};

struct RowSpot {
    QRectF field;  ///< the whole row
    QRectF label;
    QRectF value;  ///< where the value stands and its editor lies
};

/// Where everything of a node is, from its top left corner.
struct NodeLayout {
    QRectF body;
    QRectF header;
    QRectF fold;  ///< the mark that collapses
    QRectF title;
    std::vector<PortSpot> inputs;
    std::vector<PortSpot> outputs;
    QRectF unused;  ///< the line in place of unused inputs, which folds and unfolds; null: none
    QRectF flyout;  ///< left of the body: folded inputs while they are offered; null: none
    std::vector<RowSpot> rows;  ///< empty while collapsed
    QRectF nodeImage;           ///< null: none
    QRectF footer;              ///< null while collapsed
};

/// `labelWidths`: how wide each row's label is painted, in the order of the rows. `nodeImage`: its
/// size, empty when there is none. The height does not depend on the width.
[[nodiscard]] NodeLayout layoutNode(const NodeFace& face,
                                    const std::vector<double>& labelWidths,
                                    QSize nodeImage,
                                    int headerMarks,
                                    double width = node_measures::kLeastWidth);

/// Puts folded inputs that take a value of `type` next to the node, where nothing else is moved.
void addFlyout(NodeLayout& layout, const NodeFace& face, const std::string& type, const Look& look);

/// What of a node lies under a point.
enum class NodePart { None, Body, Header, Fold, Unused, Input, Output, Row, Value, Image, Footer };

struct NodePartAt {
    NodePart part = NodePart::None;
    int index = -1;  ///< of the port or row
};

/// `reach`: how far from a port's middle it is still meant, in canvas units.
[[nodiscard]] NodePartAt partAt(const NodeLayout& layout, QPointF point, double reach);

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

/// The title as it is read from afar: in one line or two of the size that a screen shows, within a
/// node, or the title of a frame, of so many pixels. Empty where hardly a letter would be seen.
[[nodiscard]] std::vector<PaintedText> farTitle(const QString& title,
                                                QSizeF pixels,
                                                const Look& look);

/// Space that a row keeps free at its right end for a switch or an arrow.
[[nodiscard]] double rowMarkWidth(const RowFace& row);

}  // namespace lowtide::ui
