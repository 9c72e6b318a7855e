// What explains itself: tips, and what is under GraphView's pointer while no button is down, which
// stands out.
#include "ui/canvas/canvas_tips.hpp"

#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/graph_view_parts.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kAway = 16;
constexpr int kMostTipWidth = 360;

Qt::CursorShape cursorFor(const CanvasHit& hit) {
    switch (hit.part.part) {
        case NodePart::Input:
        case NodePart::Output:
            return Qt::CrossCursor;
        case NodePart::Value:
            return canDragValue(*hit.row()) ? Qt::SizeHorCursor : Qt::PointingHandCursor;
        case NodePart::Fold:
        case NodePart::Unused:
        case NodePart::Image:
            return Qt::PointingHandCursor;
        default:
            break;
    }
    if (hit.reroute >= 0) {
        return Qt::SizeAllCursor;
    }
    return hit.boxPart == BoxPart::Corner ? Qt::SizeFDiagCursor
           : hit.boxPart == BoxPart::Fold ? Qt::PointingHandCursor
                                          : Qt::ArrowCursor;
}

}  // namespace

QString portTip(const PortFace& port) {
    QString text = GraphView::tr("%1 (%2)").arg(port.label, QString::fromStdString(port.type));
    if (port.isOptional && port.isKnown) {
        text = GraphView::tr("%1, optional").arg(text);
    }
    return port.tooltip.isEmpty() ? text : text + u'\n' + port.tooltip;
}

QString nodeTip(const NodeFace& face, const NodeStatus& status) {
    QStringList parts;
    if (const QString issues = issueText(status.issues, {}); !issues.isEmpty()) {
        parts << issues;
    }
    if (!status.lossy.isEmpty()) {
        parts << GraphView::tr("Changes the image a little: %1").arg(listed(status.lossy, "; "));
    }
    if (face.mode == graph::NodeMode::Muted) {
        parts << GraphView::tr("Muted: neither this node nor anything that depends on it runs.");
    } else if (face.mode == graph::NodeMode::Bypassed) {
        parts << GraphView::tr("Bypassed: its input passes through unchanged.");
    }
    if (face.isGroup) {
        parts << GraphView::tr(
            "Several nodes shown as one. Double-click or press Enter to open it.");
    } else if (face.desc == nullptr) {
        parts << GraphView::tr("This type of node is not known here. The node is kept as it is.");
    } else {
        parts << QString::fromStdString(face.desc->tooltip);
    }
    return parts.join(QStringLiteral("\n\n"));
}

QString rowTip(const RowFace& row) {
    return row.desc == nullptr ? row.value : QString::fromStdString(row.desc->tooltip);
}

QString withIssues(const QString& text, const NodeStatus& status, const std::string& item) {
    const QString issues = issueText(status.issues, item);
    return issues.isEmpty() ? text : issues + QStringLiteral("\n\n") + text;
}

PointerTip::PointerTip(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("pointerTip"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAutoFillBackground(true);
    setFrameShape(QFrame::StyledPanel);
    setMargin(Theme::space(2));
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    hide();
}

void PointerTip::report(const QString& text, QPoint at) {
    if (text.isEmpty()) {
        hide();
        return;
    }
    const Theme& theme = Theme::current();
    QPalette colours = palette();
    colours.setColor(QPalette::Window, theme.colour("tooltip"));
    colours.setColor(QPalette::WindowText, theme.colour("tooltip.text"));
    setPalette(colours);
    setFont(theme.font("small"));
    setText(text);
    const int textWidth = fontMetrics().horizontalAdvance(text) + 2 * margin() + 8;
    const int width = std::min(textWidth, std::min(kMostTipWidth, parentWidget()->width()));
    resize(width, heightForWidth(width));
    const QPoint point = at + QPoint(kAway, kAway);
    move(std::clamp(point.x(), 0, std::max(0, parentWidget()->width() - this->width())),
         std::clamp(point.y(), 0, std::max(0, parentWidget()->height() - height())));
    show();
    raise();
}

QString GraphView::Parts::tipFor(const CanvasHit& hit) const {
    if (hit.node == nullptr) {
        if (hit.wire) {
            const Wire& wire = scene.wires().wires()[*hit.wire];
            return GraphView::tr("%1: %2 to %3")
                .arg(QString::fromStdString(wire.type),
                     scene.node(wire.from.node)->face().title,
                     scene.node(wire.to.node)->face().title);
        }
        return {};
    }
    const NodeFace& face = hit.node->face();
    const NodeStatus& status = hit.node->status();
    const auto index = static_cast<size_t>(hit.part.index);
    QString text;
    std::string item;
    switch (hit.part.part) {
        case NodePart::Input:
            text = portTip(face.inputs[index]);
            item = face.inputs[index].id;
            break;
        case NodePart::Output:
            text = portTip(face.outputs[index]);
            item = face.outputs[index].id;
            break;
        case NodePart::Row:
        case NodePart::Value:
            item = face.rows[index].param;
            text = rowTip(face.rows[index]);
            break;
        case NodePart::Unused:
            return face.showsUnusedInputs ? GraphView::tr("Fold the inputs without a wire")
                                          : listed(face.foldedInputs());
        default:
            return nodeTip(face, status);
    }
    return withIssues(text, status, item);
}

void GraphView::Parts::hover(const PointerAt& at) {
    const CanvasHit hit = hitAt(scene, at.scene, at.zoom);
    const std::string now = hit.node != nullptr ? hit.node->id() : std::string();
    if (NodeItem* before = scene.node(hoveredNode); before != nullptr && hoveredNode != now) {
        before->setHovered({});
    }
    hoveredNode = now;
    if (hit.node != nullptr) {
        hit.node->setHovered(hit.part);
    }
    offerFoldedAt(hit);
    if (const std::optional<graph::PortRef> port = hit.port()) {
        scene.wires().emphasisePort(*port, hit.part.part == NodePart::Output);
    } else if (hit.wire) {
        scene.wires().setEmphasised({*hit.wire});
    } else if (!selectedWire) {
        scene.wires().setEmphasised({});
    }
    if (!heldKey) {
        view.viewport()->setCursor(cursorFor(hit));
    }
}

/// Next to the node whose line is pointed at, as long as the pointer is there or on one of them.
void GraphView::Parts::offerFoldedAt(const CanvasHit& hit) {
    const bool isLine = hit.part.part == NodePart::Unused;
    const bool isOffered = hit.part.part == NodePart::Input && hit.node->isOffering();
    scene.offerFolded(isLine || isOffered ? hit.node->id() : std::string(), kAnyType);
}

void GraphView::Parts::leave() {
    if (!gesture) {
        scene.offerFolded({}, {});
    }
    if (NodeItem* before = scene.node(hoveredNode); before != nullptr) {
        before->setHovered({});
    }
    hoveredNode.clear();
    pointer.reset();
    if (!gesture && !selectedWire) {
        scene.wires().setEmphasised({});
    }
}

}  // namespace lowtide::ui
