#include "ui/canvas/gesture.hpp"

namespace lowtide::ui {

namespace {

class RubberBand : public Gesture {
public:
    RubberBand(GraphScene& scene, QPointF at, bool isAdding)
        : scene_(scene), start_(at), rect_(at, QSizeF()) {
        before_ = scene.selectedNodes();
        if (isAdding) {
            kept_ = before_;
        }
        scene.select(kept_);
    }

    void move(const PointerAt& at) override {
        rect_ = QRectF(start_, at.scene).normalized();
        std::set<std::string> touched = kept_;
        for (const NodeItem* node : scene_.shownNodes()) {
            if (rect_.intersects(node->bodyInScene())) {
                touched.insert(node->id());
            }
        }
        scene_.select(touched);
        for (BoxItem* box : scene_.boxes()) {  // a frame counts only when it is wholly within
            box->setSelected(rect_.contains(box->shownRect()));
        }
    }

    void finish(const PointerAt&) override {}

    void cancel() override { scene_.select(before_); }

    void paint(QPainter& painter, double) const override {
        QPen pen(scene_.look().accent, 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        painter.setBrush(faded(scene_.look().accent, 0.1));
        painter.drawRect(rect_);
    }

private:
    GraphScene& scene_;
    QPointF start_;
    QRectF rect_;
    std::set<std::string> before_;
    std::set<std::string> kept_;
};

}  // namespace

std::unique_ptr<Gesture> rubberBand(GraphScene& scene, QPointF at, bool isAdding) {
    return std::make_unique<RubberBand>(scene, at, isAdding);
}

}  // namespace lowtide::ui
