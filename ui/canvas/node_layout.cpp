#include "ui/canvas/node_layout.hpp"

#include "ui/document/edits.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::ui {

using namespace node_measures;

namespace {

constexpr double kImageWidth = kLeastWidth - 2 * kPadding;
constexpr double kUnusedMark = 12;  ///< the arrow before the line of unused inputs

double innerWidth(const NodeLayout& layout) {
    return layout.header.width() - 2 * kPadding;
}

/// Inputs on the left edge, with a line in place of those that are folded; returns the rows.
size_t layOutInputs(NodeLayout& layout, const NodeFace& face, double top) {
    const double half = innerWidth(layout) / 2 - kPadding;
    const auto widthOfRow = [&](size_t row) {
        return row >= face.outputs.size() ? 2 * half : half;
    };
    const auto topOfRow = [top](size_t row) { return top + kRow * static_cast<double>(row); };
    size_t rows = 0;
    for (const PortFace& port : face.inputs) {
        if (port.isFolded) {
            layout.inputs.push_back({.centre = {}, .label = {}, .isFolded = true});
            continue;
        }
        const double rowTop = topOfRow(rows);
        layout.inputs.push_back({.centre = {0, rowTop + kRow / 2},
                                 .label = {kPadding + 4, rowTop, widthOfRow(rows), kRow}});
        ++rows;
    }
    if (!face.canFoldInputs) {
        return rows;
    }
    layout.unused = {kPadding, topOfRow(rows), widthOfRow(rows), kRow};
    for (PortSpot& spot : layout.inputs) {
        if (spot.isFolded) {
            spot.centre = {0, layout.unused.center().y()};
        }
    }
    return rows + 1;
}

/// Ports of inputs on the left and of outputs on the right edge, in rows that both share.
double layOutPorts(NodeLayout& layout, const NodeFace& face, double top) {
    const bool hasAny = !face.inputs.empty() || !face.outputs.empty();
    const double y = top + (hasAny ? kPadding / 2 : 0);
    const double right = layout.header.right();
    const double half = innerWidth(layout) / 2 - kPadding;
    const size_t inputRows = layOutInputs(layout, face, y);
    for (size_t i = 0; i < face.outputs.size(); ++i) {
        const double rowTop = y + kRow * static_cast<double>(i);
        const double width = i >= inputRows ? 2 * half : half;
        layout.outputs.push_back({.centre = {right, rowTop + kRow / 2},
                                  .label = {right - kPadding - 4 - width, rowTop, width, kRow}});
    }
    return y + kRow * static_cast<double>(std::max(inputRows, face.outputs.size()));
}

RowSpot layOutRow(const RowFace& row, double labelWidth, double top, double inner) {
    RowSpot spot;
    if (row.isLong) {
        const double height = kRow - 4 + kLine * row.lines + 8;
        spot.field = {kPadding, top + 2, inner, height - 4};
        spot.label = {spot.field.left() + kPadding, spot.field.top() + 2, inner - 2 * kPadding, 18};
        spot.value = spot.field.adjusted(2, 20, -2, -2);
        return spot;
    }
    spot.field = {kPadding, top + (kRow - kFieldHeight) / 2, inner, kFieldHeight};
    const double most = inner * (1 - kValueFraction) - kPadding;
    const double width = std::min(std::ceil(labelWidth), most);
    spot.label = {spot.field.left() + kPadding, spot.field.top(), width, kFieldHeight};
    spot.value = {spot.label.right() + kPadding / 2, spot.field.top(), 0, kFieldHeight};
    spot.value.setRight(spot.field.right());
    return spot;
}

/// Collapsed: a header with all ports folded onto its two edges.
void layOutCollapsed(NodeLayout& layout, const NodeFace& face) {
    const auto addSpots =
        [](std::vector<PortSpot>& spots, const std::vector<PortFace>& ports, double x) {
            const auto count = std::count_if(
                ports.begin(), ports.end(), [](const PortFace& port) { return !port.isFolded; });
            const double step = count > 1 ? (kHeader - 16) / static_cast<double>(count - 1) : 0;
            double y = count > 1 ? 8 : kHeader / 2;
            for (const PortFace& port : ports) {
                spots.push_back({.centre = {x, port.isFolded ? kHeader / 2 : y},
                                 .label = {},
                                 .isFolded = port.isFolded});
                y += port.isFolded ? 0 : step;
            }
        };
    addSpots(layout.inputs, face.inputs, 0);
    addSpots(layout.outputs, face.outputs, layout.header.right());
    layout.body = layout.header;
}

/// As high as the narrowest node shows it: a node that is wider grows over none below it.
double layOutImage(NodeLayout& layout, QSize nodeImage, double top) {
    if (nodeImage.isEmpty()) {
        return top;
    }
    const double aspect = static_cast<double>(nodeImage.height()) / nodeImage.width();
    const double height =
        std::clamp(std::round(kImageWidth * aspect / 4) * 4, 24.0, 2 * kImageWidth);
    const double width = std::min(kImageWidth, height / aspect);
    layout.nodeImage = {(layout.header.width() - width) / 2, top + 4, width, height};
    return layout.nodeImage.bottom() + 4;
}

constexpr double kTextMargin = 8;
constexpr double kLargeLine = 17;       ///< lines of large text stand close
constexpr double kLeastFraction = 0.4;  ///< of a row, for its value, where both need more
constexpr double kFiguresFraction =
    0.72;  ///< of a footer, where the text next to them is always shown
constexpr double kSwitch = 36;
constexpr double kFarMargin = 4;  // these are pixels of the screen
constexpr double kFarLine = 15;
constexpr double kLeastFarTitle = 32;
constexpr int kMostFarLines = 2;

const QFont& small(const Look& look, TextSize size) {
    return size == TextSize::Large ? look.largeFont : look.smallFont;
}

struct NodeWords {
    Q_DECLARE_TR_FUNCTIONS(NodeTexts)
};

void addPorts(std::vector<PaintedText>& texts,
              const std::vector<PortFace>& ports,
              const std::vector<PortSpot>& spots,
              const Look& look,
              TextSize size,
              Qt::Alignment alignment) {
    for (size_t i = 0; i < ports.size(); ++i) {
        if (spots[i].label.isNull()) {
            continue;
        }
        const QColor& colour = ports[i].isOptional && !ports[i].isLinked ? look.muted : look.text;
        texts.push_back(
            lineIn(spots[i].label, ports[i].label, small(look, size), colour, alignment));
    }
}

void addUnused(std::vector<PaintedText>& texts,
               const NodeFace& face,
               const QRectF& line,
               const Look& look,
               TextSize size) {
    const auto folded = static_cast<int>(face.foldedInputs().size());
    texts.push_back(lineIn(line.adjusted(kUnusedMark + 4, 0, 0, 0),
                           folded > 0 ? NodeWords::tr("%n more inputs", nullptr, folded)
                                      : NodeWords::tr("Fewer inputs"),
                           small(look, size),
                           look.muted,
                           Qt::AlignLeft));
}

bool isSwitch(const RowFace& row) {
    return row.desc != nullptr && row.desc->kind == ParamKind::Bool;
}

/// Widths of label and value. Large ones share the row by what they need: the value's rather.
RowSpot areasOf(const RowFace& row, RowSpot spot, const QFont& font, TextSize size) {
    spot.value.adjust(0, 0, -kTextMargin - rowMarkWidth(row), 0);
    if (size == TextSize::Large) {
        const double all = spot.value.right() - spot.label.left() - kTextMargin / 2;
        const double label = widthOf(row.label, font) + 1;
        const double value = isSwitch(row) ? kSwitch : widthOf(row.value, font) + 1;
        const double given = std::min(value, std::max(all - label, all * kLeastFraction));
        spot.value.setLeft(spot.value.right() - given);
        spot.label.setWidth(all - given);
    }
    return spot;
}

void addLines(std::vector<PaintedText>& texts,
              const RowFace& row,
              const RowSpot& spot,
              const Look& look,
              TextSize size) {
    const bool isEmpty = row.value.isEmpty();
    const bool isLarge = size == TextSize::Large;
    const QRectF area = spot.value.adjusted(kTextMargin - 2, isLarge ? 0 : 2, -kTextMargin, 0);
    const double line = isLarge ? kLargeLine : node_measures::kLine;
    const int most = isLarge ? std::max(1, static_cast<int>(area.height() / line)) : row.lines;
    const std::vector<PaintedText> lines =
        linesIn(area,
                isEmpty ? NodeWords::tr("Empty") : row.value,
                small(look, size),
                isEmpty || row.desc == nullptr ? look.muted : look.text,
                most,
                line);
    texts.insert(texts.end(), lines.begin(), lines.end());
}

void addRow(std::vector<PaintedText>& texts,
            const RowFace& row,
            const RowSpot& spot,
            const Look& look,
            TextSize size) {
    const QFont& font = small(look, size);
    if (row.isLong) {
        texts.push_back(lineIn(spot.label, row.label, font, look.muted, Qt::AlignLeft));
        addLines(texts, row, spot, look, size);
        return;
    }
    const RowSpot areas = areasOf(row, spot, font, size);
    texts.push_back(lineIn(areas.label, row.label, font, look.muted, Qt::AlignLeft));
    const QColor& colour = row.desc == nullptr ? look.muted : look.text;
    const bool isFile = row.desc != nullptr &&
                        (row.desc->kind == ParamKind::File || row.desc->kind == ParamKind::Folder);
    if (!isSwitch(row)) {
        texts.push_back(lineIn(areas.value,
                               row.value,
                               font,
                               colour,
                               Qt::AlignRight,
                               isFile ? Qt::ElideMiddle : Qt::ElideRight));
    }
}

/// "step 4 of 20, 12 s left", "step 4 of 20".
QStringList runningTexts(const NodeStatus& status) {
    if (!status.secondsLeft) {
        return {status.phase};
    }
    const double seconds = *status.secondsLeft;
    const QString left = seconds < 60 ? shortDuration(seconds * 1000)
                                      : NodeWords::tr("%1 min").arg(seconds / 60, 0, 'f', 0);
    return {NodeWords::tr("%1, %2 left").arg(status.phase, left), status.phase};
}

/// What a footer can show of the node's work, the longest first.
QStringList figuresOf(const NodeStatus& status) {
    switch (status.activity) {
        case NodeActivity::Running:
            return runningTexts(status);
        case NodeActivity::Waiting:
            return {NodeWords::tr("waiting")};
        case NodeActivity::Failed:
            return {NodeWords::tr("failed")};
        case NodeActivity::Cached:
            return {NodeWords::tr("kept from before")};
        case NodeActivity::Idle:
        case NodeActivity::Finished:
            break;
    }
    const uint64_t bytes = status.peakBytes > 0 ? status.peakBytes : status.plannedBytes;
    const QString size = bytesText(static_cast<Bytes>(bytes));
    if (status.milliseconds <= 0) {
        return bytes > 0 ? QStringList{NodeWords::tr("plan %1").arg(size)} : QStringList();
    }
    const QString time = shortDuration(status.milliseconds);
    return bytes > 0 ? QStringList{NodeWords::tr("%1 · %2").arg(time, size), time}
                     : QStringList{time};
}

/// The first that fits; the shortest where none does.
QString fitting(const QStringList& texts, const QFont& font, double width) {
    for (const QString& text : texts) {
        if (widthOf(text, font) + 1 <= width) {
            return text;
        }
    }
    return texts.value(texts.size() - 1);
}

}  // namespace

NodeLayout layoutNode(const NodeFace& face,
                      const std::vector<double>& labelWidths,
                      QSize nodeImage,
                      int headerMarks,
                      double width) {
    NodeLayout layout;
    layout.header = {0, 0, width, kHeader};
    layout.fold = {4, 8, kMark, kMark};
    layout.title = {layout.fold.right() + 4, 0, 0, kHeader};
    layout.title.setRight(width - kPadding - (kMark + 4) * headerMarks);
    if (face.isCollapsed) {
        layOutCollapsed(layout, face);
        return layout;
    }
    double y = layOutPorts(layout, face, kHeader);
    y += face.rows.empty() ? 0 : 4;
    for (size_t i = 0; i < face.rows.size(); ++i) {
        const double inner = innerWidth(layout);
        const double labelWidth = i < labelWidths.size() ? labelWidths[i] : inner / 2;
        layout.rows.push_back(layOutRow(face.rows[i], labelWidth, y, inner));
        y = layout.rows.back().field.bottom() + 2;
    }
    y = layOutImage(layout, nodeImage, y);
    layout.footer = {0, y + 4, width, kFooter};
    layout.body = {0, 0, width, layout.footer.bottom()};
    return layout;
}

void addFlyout(NodeLayout& layout,
               const NodeFace& face,
               const std::string& type,
               const Look& look) {
    std::vector<size_t> offered;
    double labels = 0;
    for (size_t i = 0; i < face.inputs.size(); ++i) {
        if (face.inputs[i].isFolded && typesFit(type, face.inputs[i].type)) {
            offered.push_back(i);
            labels = std::max(labels, look.width(face.inputs[i].label, look.largeFont));
        }
    }
    if (offered.empty()) {
        return;
    }
    const double top = layout.unused.isNull() ? layout.header.top() : layout.unused.top();
    const double width = std::min(std::ceil(labels) + 3 * kPadding, kLeastWidth);
    layout.flyout = {-width, top, width, kRow * static_cast<double>(offered.size())};
    for (size_t row = 0; row < offered.size(); ++row) {
        PortSpot& spot = layout.inputs[offered[row]];
        const double rowTop = top + kRow * static_cast<double>(row);
        spot = {.centre = {-width, rowTop + kRow / 2},
                .label = {kPadding + 4 - width, rowTop, width - 2 * kPadding, kRow}};
    }
}

NodePartAt partAt(const NodeLayout& layout, QPointF point, double reach) {
    const auto nearest = [&](const std::vector<PortSpot>& spots) {
        int best = -1;
        double bestDistance = reach;
        for (size_t i = 0; i < spots.size(); ++i) {
            const QPointF away = spots[i].centre - point;
            const double distance = std::hypot(away.x(), away.y());
            if (!spots[i].isFolded && distance <= bestDistance) {
                best = static_cast<int>(i);
                bestDistance = distance;
            }
        }
        return best;
    };
    if (const int port = nearest(layout.outputs); port >= 0) {
        return {NodePart::Output, port};
    }
    if (const int port = nearest(layout.inputs); port >= 0) {
        return {NodePart::Input, port};
    }
    if (layout.flyout.contains(point)) {
        const auto row =
            std::find_if(layout.inputs.begin(), layout.inputs.end(), [point](const PortSpot& spot) {
                return spot.centre.x() < 0 && std::abs(spot.centre.y() - point.y()) <= kRow / 2;
            });
        return {NodePart::Input, static_cast<int>(row - layout.inputs.begin())};
    }
    if (layout.unused.contains(point)) {
        return {NodePart::Unused};
    }
    if (!layout.body.contains(point)) {
        return {};
    }
    if (layout.fold.contains(point)) {
        return {NodePart::Fold};
    }
    for (size_t i = 0; i < layout.rows.size(); ++i) {
        if (layout.rows[i].value.contains(point)) {
            return {NodePart::Value, static_cast<int>(i)};
        }
        if (layout.rows[i].field.contains(point)) {
            return {NodePart::Row, static_cast<int>(i)};
        }
    }
    if (layout.header.contains(point)) {
        return {NodePart::Header};
    }
    if (layout.nodeImage.contains(point)) {
        return {NodePart::Image};
    }
    return {layout.footer.contains(point) ? NodePart::Footer : NodePart::Body};
}

std::vector<PaintedText> farTitle(const QString& title, QSizeF pixels, const Look& look) {
    QRectF area = QRectF({}, pixels).adjusted(kFarMargin, 0, -kFarMargin, 0);
    if (area.width() < kLeastFarTitle) {
        return {};
    }
    area.moveTop(std::min(0.0, (area.height() - kFarLine) / 2));
    const int most = std::clamp(static_cast<int>(area.height() / kFarLine), 1, kMostFarLines);
    return linesIn(area, title, look.smallFont, look.text, most, kFarLine);
}

double rowMarkWidth(const RowFace& row) {
    if (row.desc == nullptr) {
        return 0;
    }
    return row.desc->kind == ParamKind::Choice || row.desc->kind == ParamKind::File ||
                   row.desc->kind == ParamKind::Folder
               ? 12
               : 0;
}

std::vector<double> labelWidths(const NodeFace& face, const Look& look) {
    std::vector<double> widths;
    for (const RowFace& row : face.rows) {
        widths.push_back(widthOf(row.label, look.smallFont) + 1);
    }
    return widths;
}

std::vector<PaintedText> faceTexts(const NodeFace& face,
                                   const NodeLayout& layout,
                                   const Look& look,
                                   TextSize size) {
    std::vector<PaintedText> texts;
    const QFont& strong = size == TextSize::Large ? look.largeStrongFont : look.strongFont;
    texts.push_back(lineIn(layout.title, face.title, strong, look.text, Qt::AlignLeft));
    addPorts(texts, face.inputs, layout.inputs, look, size, Qt::AlignLeft);
    if (face.isCollapsed) {
        return texts;
    }
    addPorts(texts, face.outputs, layout.outputs, look, size, Qt::AlignRight);
    if (!layout.unused.isNull()) {
        addUnused(texts, face, layout.unused, look, size);
    }
    for (size_t i = 0; i < face.rows.size(); ++i) {
        addRow(texts, face.rows[i], layout.rows[i], look, size);
    }
    return texts;
}

std::vector<PaintedText> footerTexts(const NodeFace& face,
                                     const NodeStatus& status,
                                     const NodeLayout& layout,
                                     const Look& look,
                                     TextSize size) {
    std::vector<PaintedText> texts;
    if (layout.footer.isNull()) {
        return texts;
    }
    const QRectF area = layout.footer.adjusted(12, 0, -12, -1);
    const QFont& font = small(look, size);
    const bool isLarge = size == TextSize::Large;
    const double most = area.width() * (isLarge ? 1 : kFiguresFraction);
    const QString right = fitting(figuresOf(status), font, most);
    const double rightWidth = std::min(widthOf(right, font) + 1, most);
    const QString left = status.policy.isEmpty() ? face.subtitle : status.policy;
    const double leftWidth = area.width() - (right.isEmpty() ? 0 : rightWidth + 12);
    // A part of it is worth nothing, and large text leaves it none.
    if (!isLarge || widthOf(left, font) + 1 <= leftWidth) {
        texts.push_back(lineIn({area.topLeft(), QSizeF(leftWidth, area.height())},
                               left,
                               font,
                               face.isPlaceholder() ? look.warning : look.muted,
                               Qt::AlignLeft));
    }
    if (!right.isEmpty()) {
        const QColor colour = status.activity == NodeActivity::Failed    ? look.error
                              : status.activity == NodeActivity::Running ? look.running
                                                                         : look.muted;
        texts.push_back(lineIn({area.right() - rightWidth, area.top(), rightWidth, area.height()},
                               right,
                               font,
                               colour,
                               Qt::AlignRight));
    }
    return texts;
}

QString shortDuration(double milliseconds) {
    if (milliseconds < 1000) {
        return NodeWords::tr("%1 ms").arg(milliseconds, 0, 'f', 0);
    }
    const double seconds = milliseconds / 1000;
    if (seconds < 60) {
        return NodeWords::tr("%1 s").arg(seconds, 0, 'f', seconds < 10 ? 1 : 0);
    }
    const int whole = static_cast<int>(seconds);
    return NodeWords::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
}

}  // namespace lowtide::ui
