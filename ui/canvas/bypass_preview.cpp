#include "ui/canvas/bypass_preview.hpp"

#include "ui/canvas/graph_view.hpp"
#include "ui/language/language.hpp"

#include <QCoreApplication>
#include <QMenu>

namespace lowtide::ui {

namespace {

constexpr double kVeil = 0.72;
constexpr double kCross = 5;

struct BypassWords {
    Q_DECLARE_TR_FUNCTIONS(BypassPreview)
};

void paintCross(QPainter& painter, QPointF at, const Look& look) {
    painter.setPen(QPen(look.error, 2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(at - QPointF(kCross, kCross), at + QPointF(kCross, kCross));
    painter.drawLine(at - QPointF(kCross, -kCross), at + QPointF(kCross, -kCross));
}

void paintNode(QPainter& painter, const NodeItem& item, const Look& look) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(faded(look.canvas, kVeil));
    painter.drawRoundedRect(item.bodyInScene(), node_measures::kRadius, node_measures::kRadius);
    for (const PortDesc& output : item.face().desc->outputs) {
        const QPointF end = item.outputInScene(output.id);
        const PortDesc* input = graph::passedInput(*item.face().desc, output.id);
        if (input == nullptr) {
            paintCross(painter, end, look);
            continue;
        }
        paintTentativeWire(
            painter, item.inputInScene(input->id), end, look.wire(output.type).colour);
    }
}

}  // namespace

void paintBypass(QPainter& painter, const GraphScene& scene, const std::set<std::string>& nodes) {
    for (const std::string& id : nodes) {
        const NodeItem* item = scene.node(id);
        if (item != nullptr && !bypassSentence(item->face()).isEmpty()) {
            paintNode(painter, *item, scene.look());
        }
    }
}

QString bypassSentence(const NodeFace& face) {
    QStringList passed, missing;
    if (face.desc != nullptr) {
        for (const PortDesc& output : face.desc->outputs) {
            const QString name = QString::fromStdString(output.label);
            if (const PortDesc* input = graph::passedInput(*face.desc, output.id)) {
                passed << BypassWords::tr("%1 goes on as %2")
                              .arg(QString::fromStdString(input->label), name);
            } else {
                missing << name;
            }
        }
    }
    if (passed.isEmpty()) {
        return {};
    }
    QString sentence =
        BypassWords::tr("Bypassed, %1 does nothing: %2.").arg(face.title, listed(passed));
    if (!missing.isEmpty()) {
        sentence += u' ' + BypassWords::tr("Nothing comes out of %1.").arg(listed(missing));
    }
    return sentence;
}

void previewBypass(const QMenu& menu, const QAction& bypass, GraphView& view) {
    QObject::connect(&menu, &QMenu::hovered, &view, [&view, &bypass](const QAction* action) {
        view.showBypassPreview(action == &bypass && action->isEnabled());
    });
    QObject::connect(&menu, &QMenu::aboutToHide, &view, [&view] { view.showBypassPreview(false); });
}

}  // namespace lowtide::ui
