#include "ui/canvas/gestures.hpp"
#include "ui/canvas/graph_scene.hpp"

#include <QCoreApplication>
#include <QPainter>

#include <cmath>
#include <optional>

namespace lowtide::ui {

namespace {

/// The end of a wire that is held still while the other one is dragged.
struct WireEnd {
    graph::PortRef port;
    bool isOutput = true;
};

/// Where a dragged wire would end.
struct WireTarget {
    std::optional<graph::PortRef> port;  ///< none under the pointer
    QPointF at;
    QString refusal;  ///< why it may not end there; empty: it may
};

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

/// The port under the pointer; over the rest of a node, the first one there that takes the wire.
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

/// Circles around all ports whose type fits.
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

class DragWire : public Gesture {
    Q_DECLARE_TR_FUNCTIONS(DragWire)

public:
    DragWire(GraphScene& scene,
             graph::PortRef fixed,
             bool isFromOutput,
             std::optional<graph::PortRef> lifted,
             QPointF at,
             OpenSearch openSearch)
        : scene_(scene),
          fixed_(std::move(fixed)),
          isFromOutput_(isFromOutput),
          lifted_(std::move(lifted)),
          loose_(at),
          openSearch_(std::move(openSearch)) {
        const NodeItem* item = scene.node(fixed_.node);
        anchor_ =
            isFromOutput_ ? item->outputInScene(fixed_.port) : item->inputInScene(fixed_.port);
        const graph::Document& document = scene.model().document();
        type_ = isFromOutput_ ? outputType(document, scene.model().catalog(), fixed_)
                              : inputType(document, scene.model().catalog(), fixed_);
        if (lifted_) {
            scene_.wires().setLifted(lifted_);
        }
    }

    ~DragWire() override { scene_.wires().setLifted({}); }

    void move(const PointerAt& at) override {
        loose_ = at.scene;
        const WireTarget target =
            wireTargetAt(scene_, {.port = fixed_, .isOutput = isFromOutput_}, at.scene, at.zoom);
        if (target.port != target_.port || !target.port) {
            target_ = target;
        }
    }

    void finish(const PointerAt& at) override {
        move(at);
        GraphModel& model = scene_.model();
        if (target_.port && target_.refusal.isEmpty()) {
            const graph::PortRef& from = isFromOutput_ ? fixed_ : *target_.port;
            const graph::PortRef& to = isFromOutput_ ? *target_.port : fixed_;
            model.apply(tr("Connect"), [&](graph::Document& document) {
                if (lifted_ && *lifted_ != to) {
                    disconnect(document, *lifted_);
                }
                connect(document, from, to);
            });
            return;
        }
        const bool isFree = hitAt(scene_, at.scene, at.zoom).node == nullptr;
        if (lifted_ && isFree) {
            model.apply(tr("Disconnect"),
                        [&](graph::Document& document) { disconnect(document, *lifted_); });
        } else if (isFree) {
            openSearch_(at,
                        {.port = fixed_,
                         .isOutput = isFromOutput_,
                         .wanted = {.type = type_, .asInput = isFromOutput_}});
        }
    }

    void cancel() override {}

    [[nodiscard]] QString refusal() const override { return target_.refusal; }

    void paint(QPainter& painter, double zoom) const override {
        paintTargets(painter, scene_, {.port = fixed_, .isOutput = isFromOutput_});
        const bool isSnapped = target_.port && target_.refusal.isEmpty();
        const QPointF end = isSnapped ? target_.at : loose_;
        const QPointF from = isFromOutput_ ? anchor_ : end;
        const QPointF to = isFromOutput_ ? end : anchor_;
        const Look& look = scene_.look();
        const QColor colour = target_.refusal.isEmpty() ? look.wire(type_).colour : look.error;
        paintTentativeWire(painter,
                           from,
                           to,
                           colour,
                           std::max(2.5, 1.5 / zoom),
                           isSnapped ? Qt::SolidLine : Qt::DashLine);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(end, 4, 4);
    }

private:
    GraphScene& scene_;
    graph::PortRef fixed_;
    bool isFromOutput_;
    std::optional<graph::PortRef> lifted_;  ///< the input whose wire was taken up
    std::string type_;
    QPointF anchor_;
    QPointF loose_;
    WireTarget target_;
    OpenSearch openSearch_;
};

class DragReroute : public Gesture {
public:
    DragReroute(GraphScene& scene, size_t wire, size_t point)
        : scene_(scene), wire_(wire), point_(point), before_(scene.wires().wires().at(wire)) {}

    void move(const PointerAt& at) override {
        Wire wire = before_;
        wire.via[point_] = {std::round(at.scene.x() / kGrid) * kGrid,
                            std::round(at.scene.y() / kGrid) * kGrid};
        wire.path = wirePath(wire.start, wire.end, wire.via, {}, 0);
        scene_.wires().replace(wire_, std::move(wire));
        hasMoved_ = true;
    }

    void finish(const PointerAt& at) override {
        if (!hasMoved_) {
            return;
        }
        move(at);
        std::vector<Point> points;
        for (const QPointF& point : scene_.wires().wires()[wire_].via) {
            points.push_back({point.x(), point.y()});
        }
        scene_.model().apply(
            QCoreApplication::translate("DragReroute", "Bend wire"),
            [&](graph::Document& document) { setReroutes(document, before_.to, points); });
    }

    void cancel() override { scene_.wires().replace(wire_, before_); }

private:
    GraphScene& scene_;
    size_t wire_;
    size_t point_;
    Wire before_;
    bool hasMoved_ = false;
};

}  // namespace

std::unique_ptr<Gesture> dragWire(GraphScene& scene,
                                  const graph::PortRef& port,
                                  bool isOutput,
                                  QPointF at,
                                  OpenSearch openSearch) {
    if (!isOutput) {
        if (const Wire* wire = scene.wires().into(port); wire != nullptr) {
            const graph::PortRef from = wire->from;
            if (scene.node(from.node) != nullptr) {
                return std::make_unique<DragWire>(
                    scene, from, true, port, at, std::move(openSearch));
            }
        }
    }
    return std::make_unique<DragWire>(
        scene, port, isOutput, std::nullopt, at, std::move(openSearch));
}

std::unique_ptr<Gesture> dragReroute(GraphScene& scene, size_t wire, size_t point) {
    return std::make_unique<DragReroute>(scene, wire, point);
}

}  // namespace lowtide::ui
