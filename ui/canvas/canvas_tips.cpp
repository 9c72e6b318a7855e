#include "ui/canvas/canvas_tips.hpp"

#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/node_issues.hpp"
#include "ui/language/language.hpp"

namespace lowtide::ui {

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
        parts << GraphView::tr("Changes the picture a little: %1").arg(listed(status.lossy, "; "));
    }
    if (face.mode == graph::NodeMode::Muted) {
        parts << GraphView::tr("Muted: neither this node nor anything that depends on it runs.");
    } else if (face.mode == graph::NodeMode::Bypassed) {
        parts << GraphView::tr("Bypassed: its input passes through unchanged.");
    }
    if (face.desc == nullptr) {
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

}  // namespace lowtide::ui
