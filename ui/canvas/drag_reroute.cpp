#include "ui/canvas/gesture.hpp"

#include <QCoreApplication>

#include <cmath>

namespace lowtide::ui {

namespace {

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

std::unique_ptr<Gesture> dragReroute(GraphScene& scene, size_t wire, size_t point) {
    return std::make_unique<DragReroute>(scene, wire, point);
}

}  // namespace lowtide::ui
