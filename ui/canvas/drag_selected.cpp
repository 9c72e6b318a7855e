#include "ui/canvas/gesture.hpp"
#include "ui/canvas/snapping.hpp"
#include "ui/canvas/wire_insertion.hpp"

#include <QCoreApplication>

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr double kSnapPixels = 6;
constexpr double kNeighbourhood = 1200;  ///< farther ones are no help to line up with

Point rounded(QPointF point) {
    return {std::round(point.x()), std::round(point.y())};
}

class DragSelected : public Gesture {
    Q_DECLARE_TR_FUNCTIONS(DragSelected)

public:
    DragSelected(GraphScene& scene, QPointF at, bool isSnapping)
        : scene_(scene), start_(at), isSnapping_(isSnapping) {
        for (BoxItem* box : scene.boxes()) {
            if (box->isSelected()) {
                boxes_.emplace_back(box, box->pos());
                if (box->kind() == BoxKind::Frame) {
                    addNodes(scene.membersOf(*box), true);
                }
            }
        }
        std::vector<NodeItem*> selected;
        for (const std::string& id : scene.selectedNodes()) {
            selected.push_back(scene.node(id));
        }
        addNodes(selected, false);
        for (const auto& [id, place] : nodes_) {
            ids_.insert(id);
            bounds_ |= scene.node(id)->bodyInScene();
        }
        for (const auto& [box, place] : boxes_) {
            bounds_ |= box->shownRect();
        }
    }

    void move(const PointerAt& at) override {
        QPointF shift = at.scene - start_;
        guides_.clear();
        if (isSnapping_ && !at.modifiers.testFlag(Qt::AltModifier)) {
            const Snapped snap =
                snapped(bounds_.translated(shift), neighbours(shift), kGrid, kSnapPixels / at.zoom);
            shift += snap.shift;
            guides_ = snap.guides;
        }
        show(shift);
        hasMoved_ = true;
        insertion_ = ids_.size() == 1 && boxes_.empty()
                         ? insertionAt(scene_, *ids_.begin(), at.scene, at.zoom)
                         : std::nullopt;
    }

    void finish(const PointerAt& at) override {
        if (!hasMoved_) {
            return;
        }
        move(at);
        GraphModel& model = scene_.model();
        std::map<std::string, Point> places;
        for (const auto& [id, place] : nodes_) {
            places.emplace(id, rounded(scene_.node(id)->pos()));
        }
        std::vector<std::pair<BoxKind, Box>> boxes;
        for (const auto& [item, place] : boxes_) {
            boxes.emplace_back(item->kind(), item->box());
            boxes.back().second.topLeft = rounded(item->pos());
        }
        const std::optional<Insertion> insertion = insertion_;
        model.apply(
            insertion ? tr("Insert into wire") : tr("Move"), [&](graph::Document& document) {
                for (const auto& [id, place] : places) {
                    setPosition(document.nodes.at(id), place);
                }
                for (const auto& [kind, box] : boxes) {
                    putBox(document, kind, box);
                }
                if (insertion) {
                    insertIntoWire(document, model.catalog(), insertion->node, insertion->wireTo);
                }
            });
    }

    void cancel() override { show({}); }

    void paint(QPainter& painter, double zoom) const override {
        QPen pen(scene_.look().accent, 1);
        pen.setCosmetic(true);
        painter.setPen(pen);
        for (const QLineF& guide : guides_) {
            painter.drawLine(guide);
        }
        if (insertion_) {
            paintInsertion(painter, scene_, *insertion_, zoom);
        }
    }

private:
    void addNodes(const std::vector<NodeItem*>& items, bool alsoPinned) {
        for (const NodeItem* item : items) {
            if (alsoPinned || !item->face().isPinned) {
                nodes_.emplace(item->id(), item->pos());
            }
        }
    }

    [[nodiscard]] std::vector<QRectF> neighbours(QPointF shift) const {
        const QRectF around = bounds_.translated(shift).adjusted(
            -kNeighbourhood, -kNeighbourhood, kNeighbourhood, kNeighbourhood);
        std::vector<QRectF> rects;
        for (const NodeItem* item : scene_.shownNodes()) {
            if (!ids_.contains(item->id()) && around.intersects(item->bodyInScene())) {
                rects.push_back(item->bodyInScene());
            }
        }
        return rects;
    }

    void show(QPointF shift) {
        for (const auto& [id, place] : nodes_) {
            scene_.node(id)->setPos(place + shift);
        }
        for (const auto& [box, place] : boxes_) {
            box->setPos(place + shift);
        }
        scene_.routeWiresOf(ids_);
    }

    GraphScene& scene_;
    QPointF start_;
    bool isSnapping_;
    bool hasMoved_ = false;
    std::map<std::string, QPointF> nodes_;
    std::vector<std::pair<BoxItem*, QPointF>> boxes_;
    std::set<std::string> ids_;
    QRectF bounds_;
    std::vector<QLineF> guides_;
    std::optional<Insertion> insertion_;
};

}  // namespace

std::unique_ptr<Gesture> dragSelected(GraphScene& scene, QPointF at, bool isSnapping) {
    return std::make_unique<DragSelected>(scene, at, isSnapping);
}

}  // namespace lowtide::ui
