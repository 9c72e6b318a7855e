#include "ui/canvas/node_painter.hpp"

#include "ui/canvas/look.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

using namespace node_measures;

namespace {

constexpr double kSwitchWidth = 24;
constexpr double kSwitchHeight = 12;
constexpr double kProgressHeight = 3;
constexpr double kBelowGroup = 4;

const QColor& colourOf(Severity severity, const Look& look) {
    return severity == Severity::Error ? look.error : look.warning;
}

/// Two waves: "nearly the same", as a lossy choice gives.
QPainterPath lossyMark(const QRectF& rect) {
    QPainterPath path;
    for (const double y : {rect.center().y() - 2.5, rect.center().y() + 2.5}) {
        const double left = rect.left() + 3, width = rect.width() - 6;
        path.moveTo(left, y + 1);
        path.cubicTo(left + width / 3, y - 4, left + 2 * width / 3, y + 5, left + width, y - 1);
    }
    return path;
}

void paintMark(QPainter& painter,
               HeaderMark mark,
               const NodeAppearance& node,
               const Look& look,
               const QRect& rect) {
    switch (mark) {
        case HeaderMark::Issue:
            look.icon("warning", node.issues.worst == Severity::Error ? "error" : "warning")
                .paint(&painter, rect);
            break;
        case HeaderMark::Lossy:
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(look.lossy, 1.5, Qt::SolidLine, Qt::RoundCap));
            painter.drawPath(lossyMark(rect));
            break;
        case HeaderMark::Mode:
            look.icon(node.face.mode == graph::NodeMode::Muted ? "mute" : "bypass", "text")
                .paint(&painter, rect);
            break;
        case HeaderMark::Pin:
            look.icon("pin", "text.muted").paint(&painter, rect);
            break;
    }
}

void paintSwitch(QPainter& painter, const QRectF& value, bool isOn, const Look& look) {
    const QRectF track(value.right() - kSwitchWidth - 6,
                       value.center().y() - kSwitchHeight / 2,
                       kSwitchWidth,
                       kSwitchHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isOn ? look.accent : look.muted);
    painter.drawRoundedRect(track, kSwitchHeight / 2, kSwitchHeight / 2);
    painter.setBrush(look.body);
    const double x = isOn ? track.right() - kSwitchHeight / 2 : track.left() + kSwitchHeight / 2;
    painter.drawEllipse(
        QPointF(x, track.center().y()), kSwitchHeight / 2 - 2, kSwitchHeight / 2 - 2);
}

void paintArrow(QPainter& painter, const QRectF& value, const Look& look) {
    const QPointF tip(value.right() - 11, value.center().y() + 2);
    painter.setPen(QPen(look.muted, 1.25, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF points[] = {tip + QPointF(-3.5, -3.5), tip, tip + QPointF(3.5, -3.5)};
    painter.drawPolyline(points, 3);
}

void paintRow(QPainter& painter,
              const RowFace& row,
              const RowSpot& spot,
              const NodeAppearance& node,
              const Look& look,
              bool isHovered) {
    const std::optional<Severity> severity = node.issues.of(row.param);
    const QColor soft = severity == Severity::Error ? look.errorSoft : look.warningSoft;
    const bool isMarked = severity || row.param == node.marked;
    const QColor ground = severity ? soft : isHovered ? look.hover : look.row;
    if (!isMarked && painter.worldTransform().m11() < kLargeTextZoom) {  // no corner is seen
        painter.fillRect(spot.field, look.rowEdge);
        painter.fillRect(spot.field.adjusted(1, 1, -1, -1), ground);
    } else {
        painter.setPen(isMarked ? QPen(severity ? colourOf(*severity, look) : look.focus, 1.5)
                                : QPen(look.rowEdge, 1));
        painter.setBrush(ground);
        painter.drawRoundedRect(spot.field.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    if (row.isExposed) {  // a notch at the left edge: the form shows this one
        painter.setPen(Qt::NoPen);
        painter.setBrush(look.accent);
        painter.drawRoundedRect(
            QRectF(spot.field.left(), spot.field.top() + 4, 2, kFieldHeight - 8), 1, 1);
    }
    if (row.desc != nullptr && row.desc->kind == ParamKind::Bool && row.json.is_boolean()) {
        paintSwitch(painter, spot.value, row.json.get<bool>(), look);
    } else if (rowMarkWidth(row) > 0) {
        paintArrow(painter, spot.value, look);
    }
}

void paintPort(QPainter& painter,
               const PortFace& port,
               const PortSpot& spot,
               const NodeAppearance& node,
               const Look& look,
               bool isHovered) {
    const Look::Wire& wire = look.wire(port.type);
    painter.save();
    painter.translate(spot.centre);
    if (const std::optional<Severity> severity = node.issues.of(port.id)) {
        painter.setBrush(look.body);
        painter.setPen(QPen(colourOf(*severity, look), 2));
        painter.drawEllipse(QPointF(), kPort + 4, kPort + 4);
    } else if (isHovered || (!node.marked.empty() && port.id == node.marked)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(faded(isHovered ? wire.colour : look.focus, 0.35));
        painter.drawEllipse(QPointF(), kPort + 5, kPort + 5);
    }
    painter.setPen(QPen(port.isLinked ? look.body : wire.colour, 1.5));
    painter.setBrush(port.isLinked ? wire.colour : look.body);
    painter.drawPath(portMark(wire.shape, port.isLinked ? kPort + 0.75 : kPort - 0.25));
    painter.restore();
}

/// The corner of a mark that folds: to the right, or down.
void paintChevron(QPainter& painter, QPointF middle, bool isFolded, const QColor& colour) {
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF open[] = {{-3.5, -1.5}, {0, 2}, {3.5, -1.5}};
    const QPointF closed[] = {{-1.5, -3.5}, {2, 0}, {-1.5, 3.5}};
    QPointF points[3];
    std::transform(
        std::begin(open), std::end(open), std::begin(closed), points, [&](QPointF a, QPointF b) {
            return middle + (isFolded ? b : a);
        });
    painter.drawPolyline(points, 3);
}

/// The line in place of unused inputs has the colour of what is wrong with one of them.
void paintUnused(QPainter& painter, const NodeAppearance& node, const Look& look) {
    const QRectF& line = node.layout.unused;
    if (line.isNull()) {
        return;
    }
    QColor colour = node.hovered.part == NodePart::Unused ? look.text : look.muted;
    for (const PortFace& input : node.face.inputs) {
        const std::optional<Severity> severity = node.issues.of(input.id);
        if (input.isFolded && severity) {
            colour = colourOf(*severity, look);
        } else if (input.isFolded && !node.marked.empty() && input.id == node.marked) {
            colour = look.focus;
        }
    }
    const QPointF middle(line.left() + kPadding, line.center().y());
    paintChevron(painter, middle, !node.face.showsUnusedInputs, colour);
}

void paintFlyout(QPainter& painter, const NodeAppearance& node, const Look& look) {
    if (!node.layout.flyout.isNull()) {
        painter.setPen(QPen(look.border, 1));
        painter.setBrush(look.body);
        painter.drawRoundedRect(
            node.layout.flyout.adjusted(0.5, 0.5, 0, -0.5), kRadius / 2, kRadius / 2);
    }
}

/// The parts of paintNode().
void paintHeader(QPainter& painter, const NodeAppearance& node, const Look& look) {
    const bool isHovered = node.hovered.part == NodePart::Fold;
    paintChevron(painter,
                 node.layout.fold.center(),
                 node.face.isCollapsed || node.face.isGroup,
                 isHovered ? look.text : look.muted);
    double right = node.layout.header.right() - kPadding;
    for (const HeaderMark mark : headerMarks(node.face, node.status)) {
        right -= kMark;
        paintMark(
            painter, mark, node, look, QRectF(right, (kHeader - kMark) / 2, kMark, kMark).toRect());
        right -= 4;
    }
}

void paintRows(QPainter& painter, const NodeAppearance& node, const Look& look) {
    for (size_t i = 0; i < node.layout.rows.size(); ++i) {
        const bool isHovered =
            static_cast<int>(i) == node.hovered.index &&
            (node.hovered.part == NodePart::Value || node.hovered.part == NodePart::Row);
        paintRow(painter, node.face.rows[i], node.layout.rows[i], node, look, isHovered);
    }
}

void paintPorts(QPainter& painter, const NodeAppearance& node, const Look& look) {
    const auto all =
        [&](const std::vector<PortFace>& ports, const std::vector<PortSpot>& spots, NodePart part) {
            for (size_t i = 0; i < ports.size(); ++i) {
                if (spots[i].isFolded) {
                    continue;
                }
                const bool isHovered =
                    node.hovered.part == part && node.hovered.index == static_cast<int>(i);
                paintPort(painter, ports[i], spots[i], node, look, isHovered);
            }
        };
    all(node.face.inputs, node.layout.inputs, NodePart::Input);
    all(node.face.outputs, node.layout.outputs, NodePart::Output);
}

void paintImage(QPainter& painter, const NodeAppearance& node) {
    if (!node.layout.nodeImage.isNull() && !node.nodeImage.isNull()) {
        painter.drawImage(node.layout.nodeImage, node.nodeImage);
    }
}

void paintFooter(QPainter& painter, const NodeAppearance& node, const Look& look) {
    if (!node.layout.footer.isNull()) {
        painter.setPen(QPen(mixed(look.body, look.border, 0.5), 1));
        const double y = node.layout.footer.top() + 0.5;
        painter.drawLine(QPointF(1, y), QPointF(node.layout.footer.right() - 1, y));
    }
}

void paintProgress(QPainter& painter, const NodeAppearance& node, const Look& look) {
    if (node.status.activity != NodeActivity::Running) {
        return;
    }
    const double width = node.layout.header.width();
    const QRectF track(
        0, node.layout.header.bottom() - kProgressHeight / 2, width, kProgressHeight);
    painter.fillRect(track, look.border);
    if (node.status.total > 0) {
        const double fraction = std::clamp(node.status.done / node.status.total, 0.0, 1.0);
        painter.fillRect(QRectF(track.topLeft(), QSizeF(width * fraction, kProgressHeight)),
                         look.running);
    }
}

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

/// What leaves the node colours its header, so that stages are distinguishable from afar.
QColor headerColour(const NodeAppearance& node, const Look& look) {
    const std::vector<PortFace>& ports =
        node.face.outputs.empty() ? node.face.inputs : node.face.outputs;
    if (node.face.isPlaceholder() || ports.empty() || look.isHighContrast) {
        return look.header;
    }
    return mixed(look.header, look.wire(ports.front().type).colour, 0.16);
}

/// Colour and width of the border: what a user must see first wins.
QPen borderPen(const NodeAppearance& node, const Look& look) {
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
    if (node.face.isPlaceholder() || node.face.mode == graph::NodeMode::Bypassed) {
        pen = QPen(node.face.isPlaceholder() ? look.warning : look.muted, 1.5, Qt::DashLine);
    }
    return pen;
}

/// The header, from afar as high as the title that stands on it.
QRectF farHeader(const NodeAppearance& node, double zoom) {
    QRectF header = node.layout.header;
    if (!node.texts.face.empty()) {
        const PaintedText& last = node.texts.face.back();
        const double needed = (last.topLeft.y() + last.text.size().height()) / zoom;
        header.setHeight(std::clamp(needed, header.height(), node.layout.body.height()));
    }
    return header;
}

/// From afar: blocks of colour, the image, the border, the title.
void paintFar(QPainter& painter, const NodeAppearance& node, const Look& look, double zoom) {
    const QRectF& body = node.layout.body;
    const bool isRounded = zoom >= kRoundedZoom;
    QPen pen = borderPen(node, look);
    pen.setWidthF(pen.widthF() > 1 ? 2.0 : 1.0);
    pen.setCosmetic(true);
    painter.setRenderHint(QPainter::Antialiasing, isRounded);
    painter.setPen(pen);
    painter.setBrush(look.body);
    if (isRounded) {
        painter.drawRoundedRect(body, kRadius, kRadius);
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (const RowSpot& row : node.layout.rows) {
            painter.fillRect(row.field, look.row);
        }
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.fillPath(topRounded(farHeader(node, zoom).adjusted(1, 1, -1, 0), kRadius - 1),
                         headerColour(node, look));
        painter.setRenderHint(QPainter::Antialiasing, false);
    } else {
        painter.drawRect(body);
        painter.fillRect(farHeader(node, zoom).adjusted(2, 2, -2, 0), headerColour(node, look));
    }
    paintImage(painter, node);
    paintProgress(painter, node, look);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (isRounded) {
        paintFlyout(painter, node, look);
        paintPorts(painter, node, look);
    }
    paintUnscaled(painter, node.texts.face);
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
    if (node.face.isGroup) {  // there are more below it
        painter.setPen(QPen(look.border, 1));
        painter.setBrush(look.header);
        painter.drawRoundedRect(body.translated(kBelowGroup, kBelowGroup), kRadius, kRadius);
        painter.setPen(Qt::NoPen);
    }
    painter.setBrush(look.body);
    painter.drawRoundedRect(body, kRadius, kRadius);
    painter.setBrush(headerColour(node, look));
    if (node.face.isCollapsed) {
        painter.drawRoundedRect(body, kRadius, kRadius);
    } else {
        painter.drawPath(topRounded(node.layout.header, kRadius));
    }
    paintRows(painter, node, look);
    paintImage(painter, node);
    paintFooter(painter, node, look);
    const QPen pen = borderPen(node, look);
    const double inset = pen.widthF() > 1.5 ? 0 : 0.5;
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(body.adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
    paintProgress(painter, node, look);
    paintHeader(painter, node, look);
    paintUnused(painter, node, look);
    paintFlyout(painter, node, look);
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
