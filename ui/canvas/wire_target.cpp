#include "ui/canvas/wire_target.hpp"

#include "ui/canvas/canvas_hit.hpp"

namespace lowtide::ui {

namespace {

std::string refusalOf(const GraphScene& scene, const WireEnd& held, const graph::PortRef& port) {
    const GraphModel& model = scene.model();
    return held.isOutput ? wireRefusal(model.document(), model.catalog(), held.port, port)
                         : wireRefusal(model.document(), model.catalog(), port, held.port);
}

std::string typeOf(const GraphScene& scene, const WireEnd& held) {
    const GraphModel& model = scene.model();
    return held.isOutput ? outputType(model.document(), model.catalog(), held.port)
                         : inputType(model.document(), model.catalog(), held.port);
}

bool fits(const WireEnd& held, const std::string& heldType, const PortFace& port) {
    return held.isOutput ? typesFit(heldType, port.type) : typesFit(port.type, heldType);
}

/// Free ports first, then those whose wire would be replaced.
const PortFace* firstFit(const NodeItem& node, const WireEnd& held, const std::string& type) {
    const auto& ports = held.isOutput ? node.face().inputs : node.face().outputs;
    const PortFace* best = nullptr;
    for (const PortFace& port : ports) {
        if (fits(held, type, port) && (best == nullptr || (best->isLinked && !port.isLinked))) {
            best = &port;
        }
    }
    return best;
}

}  // namespace

WireTarget wireTargetAt(const GraphScene& scene, const WireEnd& held, QPointF point, double zoom) {
    WireTarget target;
    const CanvasHit hit = hitAt(scene, point, zoom);
    if (hit.node == nullptr || hit.port() == held.port) {
        return target;
    }
    target.port = hit.port();
    const NodePart wanted = held.isOutput ? NodePart::Input : NodePart::Output;
    if (!target.port || hit.part.part != wanted) {
        const PortFace* port = firstFit(*hit.node, held, typeOf(scene, held));
        if (port == nullptr && !target.port) {
            return target;
        }
        if (port != nullptr) {
            target.port = graph::PortRef{hit.node->id(), port->id};
        }
    }
    const bool isInput = held.isOutput;
    target.at = isInput ? hit.node->inputInScene(target.port->port)
                        : hit.node->outputInScene(target.port->port);
    target.refusal = QString::fromStdString(refusalOf(scene, held, *target.port));
    return target;
}

void paintTargets(QPainter& painter, const GraphScene& scene, const WireEnd& held) {
    const std::string type = typeOf(scene, held);
    painter.setBrush(Qt::NoBrush);
    for (const NodeItem* node : scene.shownNodes()) {
        if (node->id() == held.port.node) {
            continue;
        }
        const auto& ports = held.isOutput ? node->face().inputs : node->face().outputs;
        const auto& spots = held.isOutput ? node->layout().inputs : node->layout().outputs;
        for (size_t i = 0; i < ports.size(); ++i) {
            if (fits(held, type, ports[i])) {
                painter.setPen(QPen(scene.look().wire(ports[i].type).colour, 1.5));
                painter.drawEllipse(node->pos() + spots[i].centre, 9, 9);
            }
        }
    }
}

}  // namespace lowtide::ui
