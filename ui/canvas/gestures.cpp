#include "ui/canvas/gestures.hpp"

#include "ui/document/auto_wires.hpp"
#include "ui/editors/number_text.hpp"
#include "ui/editors/param_editor.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace lowtide::ui {

namespace {

/// One axis of a rectangle: where it begins and ends, and the same across.
struct Span {
    double begin, end, acrossBegin, acrossEnd;

    [[nodiscard]] std::array<double, 3> edges() const { return {begin, (begin + end) / 2, end}; }
};

struct AxisSnap {
    double shift = 0;
    std::optional<double> at;  ///< of the guide
    double from = 0, to = 0;   ///< of the guide, across
};

Span spanX(const QRectF& rect) {
    return {rect.left(), rect.right(), rect.top(), rect.bottom()};
}

Span spanY(const QRectF& rect) {
    return {rect.top(), rect.bottom(), rect.left(), rect.right()};
}

AxisSnap snapAxis(const Span& moved, const std::vector<Span>& others, double grid, double reach) {
    AxisSnap best;
    double bestDistance = reach;
    for (const Span& other : others) {
        for (size_t i = 0; i < 3; ++i) {  // like with like: left with left, middle with middle
            const double shift = other.edges()[i] - moved.edges()[i];
            if (std::abs(shift) <= bestDistance && (std::abs(shift) < bestDistance || !best.at)) {
                bestDistance = std::abs(shift);
                best = {.shift = shift,
                        .at = other.edges()[i],
                        .from = std::min(moved.acrossBegin, other.acrossBegin),
                        .to = std::max(moved.acrossEnd, other.acrossEnd)};
            }
        }
    }
    if (!best.at && grid > 0) {
        best.shift = std::round(moved.begin / grid) * grid - moved.begin;
    }
    return best;
}

/// A node that would be put into a wire if it were dropped now.
struct Insertion {
    std::string node;
    graph::PortRef wireTo;  ///< names the wire
    std::string input;      ///< of the node
    std::string output;
};

constexpr double kReachPixels = 24;

const PortFace* firstThat(const std::vector<PortFace>& ports, const auto& fits) {
    const auto found = std::find_if(ports.begin(), ports.end(), fits);
    return found == ports.end() ? nullptr : &*found;
}

bool isRead(const NodeFace& face) {
    const auto isLinked = [](const PortFace& port) { return port.isLinked; };
    return firstThat(face.outputs, isLinked) != nullptr;
}

/// Only a node that nothing reads is put into a wire, and only where an input and an output fit.
std::optional<Insertion> insertionAt(const GraphScene& scene,
                                     const std::string& node,
                                     QPointF pointer,
                                     double zoom) {
    const NodeItem* item = scene.node(node);
    if (item == nullptr || isRead(item->face())) {
        return std::nullopt;
    }
    const std::optional<size_t> index = scene.wires().wireAt(pointer, kReachPixels / zoom);
    if (!index) {
        return std::nullopt;
    }
    const Wire& wire = scene.wires().wires()[*index];
    if (wire.to.node == node) {
        return std::nullopt;
    }
    const graph::Document& document = scene.model().document();
    const std::string from = typeAt({wire.from, true}, document, scene.model().catalog());
    const std::string to = typeAt({wire.to, false}, document, scene.model().catalog());
    const PortFace* input = firstThat(
        item->face().inputs, [&](const PortFace& port) { return typesFit(from, port.type); });
    const PortFace* output = firstThat(
        item->face().outputs, [&](const PortFace& port) { return typesFit(port.type, to); });
    if (input == nullptr || output == nullptr) {
        return std::nullopt;
    }
    return Insertion{.node = node, .wireTo = wire.to, .input = input->id, .output = output->id};
}

/// What fed the node before gives way, where it fits.
void insertUnread(graph::Document& document,
                  const graph::Catalog& catalog,
                  const Insertion& insertion) {
    graph::Document changed = document;
    disconnect(changed, {insertion.node, insertion.input});
    if (insertIntoWires(changed, catalog, insertion.node, insertion.wireTo)) {
        document = std::move(changed);
    }
}

/// The two wires that would come to be.
void paintInsertion(QPainter& painter,
                    const GraphScene& scene,
                    const Insertion& insertion,
                    double zoom) {
    const Wire* wire = scene.wires().into(insertion.wireTo);
    const NodeItem* item = scene.node(insertion.node);
    if (wire == nullptr || item == nullptr) {
        return;
    }
    const QColor& colour = scene.look().accent;
    const double width = std::max(2.5, 2 / zoom);
    paintTentativeWire(painter, wire->start, item->inputInScene(insertion.input), colour, width);
    paintTentativeWire(painter, item->outputInScene(insertion.output), wire->end, colour, width);
}

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
        for (const auto& [id, location] : nodes_) {
            const NodeItem* shown = scene.shownNode(id);
            ids_.insert({id, shown->id()});
            bounds_ |= shown->bodyInScene();
        }
        for (const auto& [box, location] : boxes_) {
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
        std::map<std::string, Point> positions;
        for (const auto& [id, location] : nodes_) {
            positions.emplace(id, rounded(scene_.node(id)->pos()));
        }
        std::vector<std::pair<BoxKind, Box>> boxes;
        for (const auto& [item, location] : boxes_) {
            boxes.emplace_back(item->kind(), item->box());
            boxes.back().second.topLeft = rounded(item->pos());
        }
        const std::optional<Insertion> insertion = insertion_;
        const std::string group = scene_.openGroupAt(at.scene, ids_);
        model.apply(insertion ? tr("Insert into wire") : tr("Move"),
                    [&](graph::Document& document) {
                        for (const auto& [id, location] : positions) {
                            setPosition(document.nodes.at(id), location);
                        }
                        for (const auto& [kind, box] : boxes) {
                            putBox(document, kind, box);
                        }
                        if (insertion) {
                            insertUnread(document, model.catalog(), *insertion);
                        }
                        if (!group.empty()) {
                            NodeIds nodes;
                            for (const auto& [id, location] : positions) {
                                nodes.insert(id);
                            }
                            moveIntoGroup(document, nodes, group);
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
            const bool isFoldedAway = scene_.shownNode(item->id()) != item;
            if (alsoPinned || isFoldedAway || !item->face().isPinned) {
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
        for (const auto& [id, location] : nodes_) {
            scene_.node(id)->setPos(location + shift);
        }
        for (const auto& [box, location] : boxes_) {
            box->setPos(location + shift);
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

class DragValue : public Gesture {
public:
    DragValue(GraphScene& scene, const RowFace& row, std::string item, int x)
        : scene_(scene),
          item_(std::move(item)),
          row_(row.param),
          node_(row.node),
          param_(*row.desc),
          before_(row.json),
          start_(*numberOf(row.json)),
          lastX_(x),
          value_(row.json) {}

    void move(const PointerAt& at) override {
        const ScrubSpeed speed = scrubSpeed(param_, at.modifiers);
        distance_ += (at.viewport.x() - lastX_) * static_cast<long double>(speed.perPixel);
        lastX_ = at.viewport.x();
        const long double number = scrubbed(param_, start_, distance_, speed.quantum);
        if (const TypedValue taken = valueFrom(param_, number); taken.value) {
            value_ = number == start_ ? before_ : *taken.value;
            show(value_);
        }
    }

    void finish(const PointerAt& at) override {
        move(at);
        if (value_ == before_) {
            return;
        }
        scene_.model().apply(QCoreApplication::translate("DragValue", "Change %1")
                                 .arg(QString::fromStdString(param_.label)),
                             [this](graph::Document& document) {
                                 document.nodes.at(node_).params[param_.id] = value_;
                             });
    }

    void cancel() override { show(before_); }

private:
    void show(const Json& value) {
        NodeItem* item = scene_.node(item_);
        const int index = item == nullptr ? -1 : item->face().rowIndex(row_);
        if (index >= 0) {
            NodeFace face = item->face();
            RowFace& row = face.rows[static_cast<size_t>(index)];
            row.json = value;
            row.value = valueText(param_, value);
            item->setFace(std::move(face));
        }
    }

    GraphScene& scene_;
    std::string item_;  ///< that shows the row
    std::string row_;
    std::string node_;
    ParamDesc param_;
    Json before_;
    long double start_;
    long double distance_ = 0;
    int lastX_;
    Json value_;
};

}  // namespace

Snapped snapped(const QRectF& moved, const std::vector<QRectF>& others, double grid, double reach) {
    std::vector<Span> columns, rows;
    for (const QRectF& other : others) {
        columns.push_back(spanX(other));
        rows.push_back(spanY(other));
    }
    const AxisSnap x = snapAxis(spanX(moved), columns, grid, reach);
    const AxisSnap y = snapAxis(spanY(moved), rows, grid, reach);
    Snapped result{.shift = {x.shift, y.shift}};
    if (x.at) {
        result.guides.emplace_back(*x.at, x.from, *x.at, x.to);
    }
    if (y.at) {
        result.guides.emplace_back(y.from, *y.at, y.to, *y.at);
    }
    return result;
}

std::unique_ptr<Gesture> dragSelected(GraphScene& scene, QPointF at, bool isSnapping) {
    return std::make_unique<DragSelected>(scene, at, isSnapping);
}

std::unique_ptr<Gesture> resizeBox(GraphScene& scene, const BoxItem& box, QPointF at) {
    return std::make_unique<ResizeBox>(scene, box, at);
}

std::unique_ptr<Gesture> rubberBand(GraphScene& scene, QPointF at, bool isAdding) {
    return std::make_unique<RubberBand>(scene, at, isAdding);
}

bool canDragValue(const RowFace& row) {
    return row.desc != nullptr &&
           (row.desc->kind == ParamKind::Int || row.desc->kind == ParamKind::Float) &&
           numberOf(row.json).has_value();
}

std::unique_ptr<Gesture> dragValue(GraphScene& scene,
                                   const RowFace& row,
                                   const std::string& item,
                                   int x) {
    return std::make_unique<DragValue>(scene, row, item, x);
}

}  // namespace lowtide::ui
