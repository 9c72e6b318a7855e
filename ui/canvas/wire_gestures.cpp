#include "ui/canvas/gestures.hpp"
#include "ui/canvas/graph_scene.hpp"

#include <QCoreApplication>
#include <QPainter>

#include <cmath>
#include <optional>

namespace lowtide::ui {

namespace {

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
    return typeAt(held, scene.model().document(), scene.model().catalog());
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
    if (hit.node->face().isGroup && hit.node == scene.shownNode(held.port.node)) {
        return target;  // such a wire would not be seen
    }
    target.port = hit.port();
    const NodePart wanted = held.isOutput ? NodePart::Input : NodePart::Output;
    if (!target.port || hit.part.part != wanted) {
        const PortFace* port = firstFit(*hit.node, held, typeOf(scene, held));
        if (port == nullptr && !target.port) {
            return target;
        }
        if (port != nullptr) {
            target.port = port->ref;
        }
    }
    target.at = scene.portInScene(*target.port, !held.isOutput);
    target.refusal = QString::fromStdString(refusalOf(scene, held, *target.port));
    return target;
}

constexpr double kNear = 48;  ///< canvas units from a node at which it shows its folded inputs

/// The node that the pointer is on or near; one that shows folded inputs, while it is on them.
std::string nodeNear(const GraphScene& scene, const std::string& held, QPointF point) {
    std::string nearest;
    double least = kNear;
    for (const NodeItem* node : scene.shownNodes()) {
        const QRectF around = (node->layout().body | node->layout().flyout).translated(node->pos());
        const double x = std::max({0.0, around.left() - point.x(), point.x() - around.right()});
        const double y = std::max({0.0, around.top() - point.y(), point.y() - around.bottom()});
        const double distance = std::hypot(x, y);
        if (node->isOffering() && distance == 0) {
            return node->id();
        }
        if (node->id() != held && distance < least) {
            nearest = node->id();
            least = distance;
        }
    }
    return nearest;
}

/// Circles around all ports whose type fits.
void paintTargets(QPainter& painter, const GraphScene& scene, const WireEnd& held) {
    const std::string type = typeOf(scene, held);
    painter.setBrush(Qt::NoBrush);
    for (const NodeItem* node : scene.shownNodes()) {
        if (node == scene.shownNode(held.port.node)) {
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
             WireEnd held,
             std::optional<graph::PortRef> lifted,
             QPointF at,
             OpenSearch openSearch)
        : scene_(scene),
          held_(std::move(held)),
          lifted_(std::move(lifted)),
          type_(typeOf(scene, held_)),
          anchor_(scene.portInScene(held_.port, held_.isOutput)),
          loose_(at),
          openSearch_(std::move(openSearch)) {
        if (lifted_) {
            scene_.wires().setLifted(lifted_);
        }
    }

    ~DragWire() override {
        scene_.wires().setLifted({});
        scene_.offerFolded({}, {});
    }

    void move(const PointerAt& at) override {
        loose_ = at.scene;
        if (held_.isOutput) {
            scene_.offerFolded(nodeNear(scene_, held_.port.node, at.scene), type_);
        }
        const WireTarget target = wireTargetAt(scene_, held_, at.scene, at.zoom);
        if (target.port != target_.port || !target.port) {
            target_ = target;
        }
    }

    void finish(const PointerAt& at) override {
        move(at);
        GraphModel& model = scene_.model();
        if (target_.port && target_.refusal.isEmpty()) {
            const graph::PortRef& from = held_.isOutput ? held_.port : *target_.port;
            const graph::PortRef& to = held_.isOutput ? *target_.port : held_.port;
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
            openSearch_(at, held_);
        }
    }

    void cancel() override {}

    [[nodiscard]] QString refusal() const override { return target_.refusal; }

    void paint(QPainter& painter, double zoom) const override {
        paintTargets(painter, scene_, held_);
        const bool isSnapped = target_.port && target_.refusal.isEmpty();
        const QPointF end = isSnapped ? target_.at : loose_;
        const QPointF from = held_.isOutput ? anchor_ : end;
        const QPointF to = held_.isOutput ? end : anchor_;
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
    WireEnd held_;                          ///< still, while the other one is dragged
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
        scene_.wires().replace(wire_, scene_.routed(std::move(wire)));
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
                                  const WireEnd& pressed,
                                  QPointF at,
                                  OpenSearch openSearch) {
    const Wire* wire = pressed.isOutput ? nullptr : scene.wires().into(pressed.port);
    const bool isTaken = wire != nullptr && scene.node(wire->from.node) != nullptr;
    return std::make_unique<DragWire>(scene,
                                      isTaken ? WireEnd{wire->from, true} : pressed,
                                      isTaken ? std::optional(pressed.port) : std::nullopt,
                                      at,
                                      std::move(openSearch));
}

std::unique_ptr<Gesture> dragReroute(GraphScene& scene, size_t wire, size_t point) {
    return std::make_unique<DragReroute>(scene, wire, point);
}

}  // namespace lowtide::ui
