#include "ui/canvas/canvas_hit.hpp"
#include "ui/canvas/gesture.hpp"
#include "ui/canvas/wire_target.hpp"

#include <QCoreApplication>

namespace lowtide::ui {

namespace {

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

}  // namespace lowtide::ui
