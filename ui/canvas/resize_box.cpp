#include "ui/canvas/gesture.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kLeastBoxWidth = 96;
constexpr double kLeastBoxHeight = 48;

class ResizeBox : public Gesture {
public:
    ResizeBox(GraphScene& scene, const BoxItem& item, QPointF at)
        : scene_(scene), kind_(item.kind()), before_(item.box()), start_(at) {}

    void move(const PointerAt& at) override {
        const QPointF shift = at.scene - start_;
        const auto toGrid = [](double value, double least) {
            return std::max(least, std::round(value / kGrid) * kGrid);
        };
        now_ = before_;
        now_->size = {toGrid(before_.size.x + shift.x(), kLeastBoxWidth),
                      toGrid(before_.size.y + shift.y(), kLeastBoxHeight)};
        show(*now_);
    }

    void finish(const PointerAt& at) override {
        if (!now_) {
            return;
        }
        move(at);
        scene_.model().apply(QCoreApplication::translate("ResizeBox", "Resize"),
                             [this](graph::Document& document) { putBox(document, kind_, *now_); });
    }

    void cancel() override { show(before_); }

private:
    void show(const Box& box) {
        if (BoxItem* item = scene_.box(kind_, before_.id); item != nullptr) {
            item->setBox(box);
        }
    }

    GraphScene& scene_;
    BoxKind kind_;
    Box before_;
    QPointF start_;
    std::optional<Box> now_;
};

}  // namespace

std::unique_ptr<Gesture> resizeBox(GraphScene& scene, const BoxItem& box, QPointF at) {
    return std::make_unique<ResizeBox>(scene, box, at);
}

}  // namespace lowtide::ui
