#include "ui/canvas/node_painter.hpp"

#include "ui/canvas/node_parts_painter.hpp"

namespace lowtide::ui {

using namespace node_measures;

namespace {

constexpr double kRoundedZoom = 0.28;  ///< under it a node is a few plain blocks of colour
constexpr double kMutedOpacity = 0.5;
constexpr double kMutedHighContrast = 0.8;  ///< leaves 7 to 1 for every text

QPainterPath topRounded(const QRectF& rect, double radius) {
    QPainterPath path;
    path.moveTo(rect.bottomLeft());
    path.lineTo(rect.left(), rect.top() + radius);
    path.arcTo(rect.left(), rect.top(), 2 * radius, 2 * radius, 180, -90);
    path.lineTo(rect.right() - radius, rect.top());
    path.arcTo(rect.right() - 2 * radius, rect.top(), 2 * radius, 2 * radius, 90, -90);
    path.lineTo(rect.bottomRight());
    path.closeSubpath();
    return path;
}

/// What leaves the node colours its header, so that stages are told apart from afar.
QColor headerColour(const NodeAppearance& node, const Look& look) {
    const std::vector<PortFace>& ports =
        node.face.outputs.empty() ? node.face.inputs : node.face.outputs;
    if (node.face.desc == nullptr || ports.empty() || look.isHighContrast) {
        return look.header;
    }
    return mixed(look.header, look.wire(ports.front().type).colour, 0.16);
}

/// Colour and width of the outline: what a person must see first wins.
QPen outline(const NodeAppearance& node, const Look& look) {
    if (node.isSelected) {
        return {look.selected, 2};
    }
    if (node.status.activity == NodeActivity::Running) {
        return {look.running, 2};
    }
    if (node.issues.worst == Severity::Error) {
        return {look.error, 2};
    }
    if (node.issues.worst == Severity::Warning) {
        return {look.warning, 1.5};
    }
    QPen pen(look.border, 1);
    if (node.face.desc == nullptr || node.face.mode == graph::NodeMode::Bypassed) {
        pen = QPen(node.face.desc == nullptr ? look.warning : look.muted, 1.5, Qt::DashLine);
    }
    return pen;
}

/// From afar: blocks of colour, the picture, the outline.
void paintFar(QPainter& painter, const NodeAppearance& node, const Look& look, double zoom) {
    const QRectF& body = node.layout.body;
    const bool isRounded = zoom >= kRoundedZoom;
    QPen pen = outline(node, look);
    pen.setWidthF(pen.widthF() > 1 ? 2.0 : 1.0);
    pen.setCosmetic(true);
    painter.setRenderHint(QPainter::Antialiasing, isRounded);
    painter.setPen(pen);
    painter.setBrush(look.body);
    if (isRounded) {
        painter.drawRoundedRect(body, kRadius, kRadius);
        painter.fillPath(topRounded(node.layout.header.adjusted(1, 1, -1, 0), kRadius - 1),
                         headerColour(node, look));
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (const RowSpot& row : node.layout.rows) {
            painter.fillRect(row.field, look.row);
        }
    } else {
        painter.drawRect(body);
        painter.fillRect(node.layout.header.adjusted(2, 2, -2, 0), headerColour(node, look));
    }
    paintPicture(painter, node);
    paintProgress(painter, node, look);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (isRounded) {
        paintPorts(painter, node, look);
    }
}

/// Only the strip below the node is painted: blending what lies behind the whole node costs as much
/// as all its texts, and Qt wakes threads for it.
void paintShadow(QPainter& painter, const QRectF& body, const Look& look) {
    constexpr double kDepth = 3;
    constexpr double kCorner = kRadius + 1;
    painter.setBrush(look.shadow);
    painter.drawRoundedRect(
        QRectF(body.left() - 1, body.bottom() - kCorner, body.width() + 2, kCorner + kDepth),
        kCorner,
        kCorner);
}

void paintNear(QPainter& painter, const NodeAppearance& node, const Look& look) {
    const QRectF& body = node.layout.body;
    painter.setPen(Qt::NoPen);
    paintShadow(painter, body, look);
    painter.setBrush(look.body);
    painter.drawRoundedRect(body, kRadius, kRadius);
    painter.setBrush(headerColour(node, look));
    if (node.face.isCollapsed) {
        painter.drawRoundedRect(body, kRadius, kRadius);
    } else {
        painter.drawPath(topRounded(node.layout.header, kRadius));
    }
    paintRows(painter, node, look);
    paintPicture(painter, node);
    paintFooter(painter, node, look);
    const QPen pen = outline(node, look);
    const double inset = pen.widthF() > 1.5 ? 0 : 0.5;
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(body.adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
    paintProgress(painter, node, look);
    paintHeader(painter, node, look);
    paintNearScale(painter, node.texts.face);
    paintNearScale(painter, node.texts.footer);
    paintPorts(painter, node, look);
}

}  // namespace

std::vector<HeaderMark> headerMarks(const NodeFace& face, const NodeStatus& status) {
    std::vector<HeaderMark> marks;
    if (issuesOf(status.issues).worst) {
        marks.push_back(HeaderMark::Issue);
    }
    if (!status.lossy.isEmpty()) {
        marks.push_back(HeaderMark::Lossy);
    }
    if (face.mode != graph::NodeMode::Active) {
        marks.push_back(HeaderMark::Mode);
    }
    if (face.isPinned) {
        marks.push_back(HeaderMark::Pin);
    }
    return marks;
}

void paintNode(QPainter& painter, const NodeAppearance& node, const Look& look, double zoom) {
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const double opacity = painter.opacity();
    if (node.face.mode == graph::NodeMode::Muted) {
        painter.setOpacity(opacity * (look.isHighContrast ? kMutedHighContrast : kMutedOpacity));
    }
    if (zoom < kTextZoom) {
        paintFar(painter, node, look, zoom);
    } else {
        paintNear(painter, node, look);
    }
    painter.setOpacity(opacity);
}

}  // namespace lowtide::ui
