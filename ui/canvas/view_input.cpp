// GraphView's pointer: what a press means, and when it becomes a drag. Its keys: canvasCommands(),
// by the keys that CanvasKeys holds; Escape is fixed.
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view_parts.hpp"

#include <QKeyEvent>
#include <QMouseEvent>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kDragPixels = 4;

bool adds(const PointerAt& at) {
    return (at.modifiers & (Qt::ShiftModifier | Qt::ControlModifier)) != 0;
}

}  // namespace

PointerAt GraphView::Parts::pointerAt(QPoint viewport, Qt::KeyboardModifiers modifiers) const {
    return {.scene = view.viewportTransform().inverted().map(QPointF(viewport)),
            .viewport = viewport,
            .modifiers = modifiers,
            .zoom = zoom()};
}

QPoint GraphView::Parts::pointerOrMiddle() const {
    return pointer.value_or(view.viewport()->rect().center());
}

void GraphView::Parts::startPan(QPoint viewport) {
    panFrom = viewport;
    hasPanned = false;
    view.viewport()->setCursor(Qt::ClosedHandCursor);
}

void GraphView::Parts::pressNode(const CanvasHit& hit, const PointerAt& at) {
    const std::string id = hit.node->id();
    if (const std::optional<graph::PortRef> port = hit.port()) {
        gesture = dragWire(
            scene,
            *port,
            hit.part.part == NodePart::Output,
            at.scene,
            [this](const PointerAt& end, const LooseWire& wire) { openSearch(end, wire); });
        return;
    }
    if (hit.part.part == NodePart::Fold) {
        model.apply(tr("Collapse"), [&](graph::Document& document) {
            graph::DocumentNode& node = document.nodes.at(id);
            setCollapsed(node, !isCollapsed(node));
        });
        press.reset();
        return;
    }
    if (adds(at) && !press->isNumber) {  // Ctrl and Shift may be meant for the number
        toggleSelected(id);
    } else if (!adds(at) && !press->wasSelected) {
        scene.select({id});
    }
}

void GraphView::Parts::toggleSelected(const std::string& node) {
    std::set<std::string> selected = scene.selectedNodes();
    if (selected.erase(node) == 0) {
        selected.insert(node);
    }
    scene.select(selected);
}

void GraphView::Parts::pressBox(const CanvasHit& hit, const PointerAt& at) {
    const BoxItem& box = *hit.box;
    const std::string id = box.box().id;
    switch (hit.boxPart) {
        case BoxPart::Corner:
            gesture = resizeBox(scene, box, at.scene);
            return;
        case BoxPart::Fold:
            toggleBoxFold(box);
            press.reset();
            return;
        case BoxPart::Title:
            if (!box.isSelected()) {
                scene.select({});
                scene.selectBoxes(box.kind(), {id});
            }
            return;
        case BoxPart::Body:
        case BoxPart::None:
            gesture = rubberBand(scene, at.scene, adds(at));
            return;
    }
}

void GraphView::Parts::pressLeft(const PointerAt& at) {
    const CanvasHit hit = hitAt(scene, at.scene, at.zoom);
    if (NodeItem* marked = scene.node(markedNode); marked != nullptr) {
        marked->setMarked({});
    }
    selectedWire.reset();
    press = Press{.hit = hit, .viewport = at.viewport, .scene = at.scene};
    if (hit.node != nullptr) {
        press->node = hit.node->id();
        press->wasSelected = hit.node->isSelected();
        if (hit.part.part == NodePart::Value) {
            const RowFace& row = hit.node->face().rows[static_cast<size_t>(hit.part.index)];
            press->param = row.param;
            press->isNumber = canDragValue(row);
        }
        pressNode(hit, at);
    } else if (hit.wire && hit.reroute >= 0) {
        gesture = dragReroute(scene, *hit.wire, static_cast<size_t>(hit.reroute));
    } else if (hit.wire) {
        scene.select({});
        selectedWire = scene.wires().wires()[*hit.wire].to;
        scene.wires().setEmphasised({*hit.wire});
    } else if (hit.box != nullptr) {
        pressBox(hit, at);
    } else {
        gesture = rubberBand(scene, at.scene, adds(at));
    }
}

void GraphView::Parts::beginDrag(const PointerAt& at) {
    const NodeItem* item = scene.node(press->node);
    const int row = item == nullptr ? -1 : item->face().rowIndex(press->param);
    if (press->isNumber && row >= 0) {
        gesture = dragValue(
            scene, item->face().rows[static_cast<size_t>(row)], press->node, press->viewport.x());
        gesture->move(at);
        return;
    }
    const bool movesNode = item != nullptr && item->isSelected();
    const bool movesBox = press->hit.box != nullptr && press->hit.boxPart == BoxPart::Title;
    if (movesNode || movesBox) {
        gesture = dragSelected(scene, press->scene, isSnapping);
        gesture->move(at);
    }
}

void GraphView::Parts::click(const PointerAt& at) {
    const std::string node = press->node;
    if (scene.node(node) == nullptr || adds(at)) {
        if (press->isNumber) {
            toggleSelected(node);
        }
        return;
    }
    scene.select({node});
    if (!press->param.empty()) {
        rows.begin(node, press->param);
    } else if (press->hit.part.part == NodePart::Image) {
        Q_EMIT view.imageActivated(node);
    }
}

void GraphView::Parts::doubleClick(const PointerAt& at) {
    const CanvasHit hit = hitAt(scene, at.scene, at.zoom);
    if (hit.node != nullptr) {
        if (hit.part.part == NodePart::Header) {
            texts.renameNode(hit.node->id());
        }
    } else if (hit.wire) {
        toggleReroute(*hit.wire, hit.reroute, at.scene);
    } else if (hit.box != nullptr && hit.boxPart == BoxPart::Title) {
        texts.writeBox(hit.box->kind(), hit.box->box().id);
    } else {
        openSearch(at, std::nullopt);
    }
}

void GraphView::Parts::forgetGesture() {
    gesture.reset();
    press.reset();
    tip.report({}, {});
    scene.reload();
    view.viewport()->update();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    event->accept();
    parts_->rows.end();
    parts_->texts.end();
    parts_->search.hide();
    parts_->wiring.hide();
    parts_->tip.report({}, {});
    setFocus(Qt::MouseFocusReason);
    const QPoint point = event->position().toPoint();
    const bool pans = event->button() == Qt::MiddleButton ||
                      (event->button() == Qt::LeftButton && parts_->heldKey);
    if (pans) {
        parts_->startPan(point);
    } else if (event->button() == Qt::LeftButton) {
        parts_->pressLeft(parts_->pointerAt(point, event->modifiers()));
        viewport()->update();
    }
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint point = event->position().toPoint();
    parts_->pointer = point;
    const PointerAt at = parts_->pointerAt(point, event->modifiers());
    if (parts_->panFrom) {
        parts_->pan(point - *parts_->panFrom);
        parts_->panFrom = point;
        parts_->hasPanned = true;
    } else if (parts_->gesture) {
        parts_->gesture->move(at);
        parts_->tip.report(parts_->gesture->refusal(), point);
        viewport()->update();
    } else if (parts_->press && event->buttons().testFlag(Qt::LeftButton)) {
        if ((point - parts_->press->viewport).manhattanLength() >= kDragPixels) {
            parts_->beginDrag(at);
        }
    } else {
        parts_->hover(at);
    }
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (parts_->panFrom) {
        parts_->panFrom.reset();
        viewport()->setCursor(parts_->heldKey ? Qt::OpenHandCursor : Qt::ArrowCursor);
        return;
    }
    if (event->button() != Qt::LeftButton) {
        return;
    }
    const PointerAt at = parts_->pointerAt(event->position().toPoint(), event->modifiers());
    if (parts_->gesture) {
        const std::unique_ptr<Gesture> ended = std::move(parts_->gesture);
        ended->finish(at);
        parts_->tip.report({}, {});
    } else if (parts_->press) {
        parts_->click(at);
    }
    parts_->press.reset();
    viewport()->update();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    event->accept();
    if (event->button() == Qt::LeftButton) {
        parts_->press.reset();
        parts_->gesture.reset();
        parts_->doubleClick(parts_->pointerAt(event->position().toPoint(), event->modifiers()));
    }
}

void GraphView::setKeys(const std::string& command, const QList<QKeySequence>& keys) {
    parts_->keys.set(command, keys);
}

void GraphView::Parts::moveFocus(FocusDirection direction, bool isAlongWires) {
    const NodeIds selected = scene.selectedNodes();
    const std::string current = selected.empty() ? std::string() : *selected.begin();
    const NodeRects rects = scene.nodeRects();
    const std::string next = isAlongWires && !current.empty()
                                 ? nodeAlongWires(model.document(), rects, current, direction)
                                 : adjacentNode(rects, current, direction);
    if (!next.empty()) {
        view.reveal(next);
    }
}

void GraphView::moveFocus(int direction) {
    parts_->moveFocus(static_cast<FocusDirection>(direction), false);
}

void GraphView::moveAlongWires(int direction) {
    parts_->moveFocus(static_cast<FocusDirection>(direction), true);
}

bool GraphView::focusNextPrevChild(bool isForward) {
    return !isForward && QGraphicsView::focusNextPrevChild(false);  // Tab adds a node
}

void GraphView::Parts::hold(const CanvasCommand& command, const QKeyEvent& event) {
    if (!event.isAutoRepeat()) {
        heldKey = {event.key(), &command};
        hasPanned = false;
        view.viewport()->setCursor(Qt::OpenHandCursor);
    }
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        event->setAccepted(parts_->gesture != nullptr);  // else the window cancels a run
        if (parts_->gesture) {
            parts_->gesture->cancel();
            parts_->forgetGesture();
        }
        return;
    }
    const CanvasCommand* command = parts_->keys.commandOf(*event);
    event->setAccepted(command != nullptr);
    if (command != nullptr && command->isHeld) {
        parts_->hold(*command, *event);
    } else if (command != nullptr) {
        command->act(*this);
    }
}

void GraphView::keyReleaseEvent(QKeyEvent* event) {
    if (parts_->heldKey && event->key() == parts_->heldKey->key && !event->isAutoRepeat()) {
        const CanvasCommand& command = *std::exchange(parts_->heldKey, std::nullopt)->command;
        viewport()->setCursor(Qt::ArrowCursor);
        if (!parts_->hasPanned && !parts_->panFrom) {
            command.act(*this);
        }
        return;
    }
    QGraphicsView::keyReleaseEvent(event);
}

void GraphView::focusInEvent(QFocusEvent* event) {
    QGraphicsView::focusInEvent(event);
    parts_->showsFocus = event->reason() == Qt::TabFocusReason ||
                         event->reason() == Qt::BacktabFocusReason ||
                         event->reason() == Qt::ShortcutFocusReason;
    viewport()->update();
    parts_->elements->announceFocus();
}

void GraphView::focusOutEvent(QFocusEvent* event) {
    parts_->heldKey.reset();
    parts_->showsFocus = false;
    viewport()->update();
    QGraphicsView::focusOutEvent(event);
}

}  // namespace lowtide::ui
