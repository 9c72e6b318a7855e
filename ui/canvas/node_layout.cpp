#include "ui/canvas/node_layout.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

using namespace node_measures;

namespace {

constexpr double kInnerWidth = kWidth - 2 * kPadding;
constexpr double kLeastValue = kInnerWidth * 0.45;

/// Ports of inputs on the left and of outputs on the right edge, in rows that both share.
double placePorts(NodeLayout& layout, const NodeFace& face, double top) {
    const size_t count = std::max(face.inputs.size(), face.outputs.size());
    const double half = (kWidth - 4 * kPadding) / 2;
    const double y = top + (count > 0 ? kPadding / 2 : 0);
    for (size_t i = 0; i < face.inputs.size(); ++i) {
        const double rowTop = y + kRow * static_cast<double>(i);
        const bool isAlone = i >= face.outputs.size();
        layout.inputs.push_back({.centre = {0, rowTop + kRow / 2},
                                 .label = {kPadding + 4, rowTop, isAlone ? 2 * half : half, kRow}});
    }
    for (size_t i = 0; i < face.outputs.size(); ++i) {
        const double rowTop = y + kRow * static_cast<double>(i);
        const double width = i >= face.inputs.size() ? 2 * half : half;
        layout.outputs.push_back({.centre = {kWidth, rowTop + kRow / 2},
                                  .label = {kWidth - kPadding - 4 - width, rowTop, width, kRow}});
    }
    return y + kRow * static_cast<double>(count);
}

RowSpot placeRow(const RowFace& row, double labelWidth, double top) {
    RowSpot spot;
    if (row.isLong) {
        const double height = kRow - 4 + kLine * row.lines + 8;
        spot.field = {kPadding, top + 2, kInnerWidth, height - 4};
        spot.label = {
            spot.field.left() + kPadding, spot.field.top() + 2, kInnerWidth - 2 * kPadding, 18};
        spot.value = spot.field.adjusted(2, 20, -2, -2);
        return spot;
    }
    spot.field = {kPadding, top + (kRow - kFieldHeight) / 2, kInnerWidth, kFieldHeight};
    const double most = kInnerWidth - kLeastValue - kPadding;
    const double width = std::min(std::ceil(labelWidth), most);
    spot.label = {spot.field.left() + kPadding, spot.field.top(), width, kFieldHeight};
    spot.value = {spot.label.right() + kPadding / 2, spot.field.top(), 0, kFieldHeight};
    spot.value.setRight(spot.field.right());
    return spot;
}

/// Collapsed: a header with all ports folded onto its two edges.
void placeCollapsed(NodeLayout& layout, const NodeFace& face) {
    const auto place = [](std::vector<PortSpot>& spots, size_t count, double x) {
        const double step = count > 1 ? (kHeader - 16) / static_cast<double>(count - 1) : 0;
        for (size_t i = 0; i < count; ++i) {
            const double y = count > 1 ? 8 + step * static_cast<double>(i) : kHeader / 2;
            spots.push_back({.centre = {x, y}, .label = {}});
        }
    };
    place(layout.inputs, face.inputs.size(), 0);
    place(layout.outputs, face.outputs.size(), kWidth);
    layout.body = layout.header;
}

double placePicture(NodeLayout& layout, QSize picture, double top) {
    if (picture.isEmpty()) {
        return top;
    }
    const double aspect = static_cast<double>(picture.height()) / picture.width();
    const double height =
        std::clamp(std::round(kInnerWidth * aspect / 4) * 4, 24.0, 2 * kInnerWidth);
    const double width = std::min(kInnerWidth, height / aspect);
    layout.picture = {kPadding + (kInnerWidth - width) / 2, top + 4, width, height};
    return layout.picture.bottom() + 4;
}

}  // namespace

NodeLayout layoutNode(const NodeFace& face,
                      const std::vector<double>& labelWidths,
                      QSize picture,
                      int headerMarks) {
    NodeLayout layout;
    layout.header = {0, 0, kWidth, kHeader};
    layout.fold = {4, 8, kMark, kMark};
    layout.title = {layout.fold.right() + 4, 0, 0, kHeader};
    layout.title.setRight(kWidth - kPadding - (kMark + 4) * headerMarks);
    if (face.isCollapsed) {
        placeCollapsed(layout, face);
        return layout;
    }
    double y = placePorts(layout, face, kHeader);
    y += face.rows.empty() ? 0 : 4;
    for (size_t i = 0; i < face.rows.size(); ++i) {
        const double labelWidth = i < labelWidths.size() ? labelWidths[i] : kInnerWidth / 2;
        layout.rows.push_back(placeRow(face.rows[i], labelWidth, y));
        y = layout.rows.back().field.bottom() + 2;
    }
    y = placePicture(layout, picture, y);
    layout.footer = {0, y + 4, kWidth, kFooter};
    layout.body = {0, 0, kWidth, layout.footer.bottom()};
    return layout;
}

NodePartAt partAt(const NodeLayout& layout, QPointF point, double reach) {
    const auto nearest = [&](const std::vector<PortSpot>& spots) {
        int best = -1;
        double bestDistance = reach;
        for (size_t i = 0; i < spots.size(); ++i) {
            const QPointF away = spots[i].centre - point;
            const double distance = std::hypot(away.x(), away.y());
            if (distance <= bestDistance) {
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
    if (layout.picture.contains(point)) {
        return {NodePart::Picture};
    }
    return {layout.footer.contains(point) ? NodePart::Footer : NodePart::Body};
}

}  // namespace lowtide::ui
