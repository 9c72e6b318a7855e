// GraphView's pointer: what a press means, and when it becomes a drag; what is dropped. Its keys:
// canvasCommands(), by the keys that CanvasKeys holds; Escape is fixed.
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view_parts.hpp"

#include <QDropEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kDragPixels = 4;
constexpr double kNotchAngle = 120;

bool adds(const PointerAt& at) {
    return (at.modifiers & (Qt::ShiftModifier | Qt::ControlModifier)) != 0;
}

bool isTouchpad(const QWheelEvent& event) {
    return event.phase() != Qt::NoScrollPhase ||
           (event.device() != nullptr &&
            event.device()->type() == QInputDevice::DeviceType::TouchPad);
}

}  // namespace

PointerAt GraphView::Parts::pointerAt(QPoint viewport, Qt::KeyboardModifiers modifiers) const {
    return {.scene = view.viewportTransform().inverted().map(QPointF(viewport)),
            .viewport = viewport,
            .modifiers = modifiers,
            .zoom = navigation.zoom()};
}

QPoint GraphView::Parts::pointerOrMiddle() const {
    return pointer.value_or(view.viewport()->rect().center());
}

DropSpot GraphView::Parts::spotAt(const PointerAt& at) const {
    const CanvasHit hit = hitAt(scene, at.scene, at.zoom);
    DropSpot spot{.at = {at.scene.x(), at.scene.y()}, .isAt = true};
    if (const RowFace* row = hit.row(); row != nullptr) {
        spot.node = row->node;
        spot.param = row->desc != nullptr ? row->desc->id : row->param;
    } else if (hit.node != nullptr && !hit.node->face().isGroup) {
        spot.node = hit.node->id();
    } else if (hit.wire) {
        spot.wireTo = scene.wires().wires()[*hit.wire].to;
    }
    return spot;
}

DropSpot GraphView::Parts::spotOfPointer() const {
    const PointerAt at = pointerAt(pointerOrMiddle(), {});
    return pointer ? spotAt(at) : DropSpot{.at = {at.scene.x(), at.scene.y()}};
}

void GraphView::Parts::pressNode(const CanvasHit& hit, const PointerAt& at) {
    const std::string id = hit.node->id();
    if (const std::optional<graph::PortRef> port = hit.port()) {
        gesture =
            dragWire(scene,
                     {*port, hit.part.part == NodePart::Output},
                     at.scene,
                     [this](const PointerAt& end, const WireEnd& held) { openSearch(end, held); });
        return;
    }
    if (hit.part.part == NodePart::Fold && hit.node->face().isGroup) {
        press.reset();
        setGroupFolded(id, false);
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
    if (hit.part.part == NodePart::Unused) {
        model.apply(tr("Unused inputs"), [&](graph::Document& document) {
            graph::DocumentNode& node = document.nodes.at(id);
            setShowsUnusedInputs(node, !showsUnusedInputs(node));
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
    for (const std::string& each : scene.groups().nodesIn(node)) {
        if (selected.erase(each) == 0) {
            selected.insert(each);
        }
    }
    scene.select(selected);
}

/// The title of an open group stands for all that it holds.
void GraphView::Parts::pressGroup(const CanvasHit& hit, const PointerAt& at) {
    if (hit.boxPart == BoxPart::Fold) {
        press.reset();
        setGroupFolded(hit.group, true);
        return;
    }
    const NodeIds nodes = scene.groups().nodesIn(hit.group);
    std::set<std::string> selected = scene.selectedNodes();
    if (std::ranges::includes(selected, nodes)) {
        return;
    }
    if (!adds(at)) {
        selected.clear();
    }
    selected.insert(nodes.begin(), nodes.end());
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
            pressGround(at);
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
            press->param = hit.row()->param;
            press->isNumber = canDragValue(*hit.row());
        }
        pressNode(hit, at);
    } else if (hit.wire && hit.reroute >= 0) {
        gesture = dragReroute(scene, *hit.wire, static_cast<size_t>(hit.reroute));
    } else if (hit.wire) {
        scene.select({});
        selectedWire = scene.wires().wires()[*hit.wire].to;
        scene.wires().setEmphasised({*hit.wire});
    } else if (!hit.group.empty()) {
        pressGroup(hit, at);
    } else if (hit.box != nullptr) {
        pressBox(hit, at);
    } else {
        pressGround(at);
    }
}

/// Leads into the group there, or out of the one in which the user worked.
void GraphView::Parts::pressGround(const PointerAt& at) {
    gesture = rubberBand(scene, at.scene, adds(at));
    if (scene.selectedNodes().empty()) {
        within = scene.openGroupAt(at.scene);
        showPath();
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
    if (movesNode || movesBox || !press->hit.group.empty()) {
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
        Q_EMIT view.imageActivated(scene.imageNodeOf(*scene.node(node)));
    }
}

void GraphView::Parts::doubleClick(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton) {
        return;
    }
    press.reset();
    gesture.reset();
    const PointerAt at = pointerAt(event.position().toPoint(), event.modifiers());
    const CanvasHit hit = hitAt(scene, at.scene, at.zoom);
    if (hit.node != nullptr) {
        const NodePart part = hit.part.part;
        const std::string id = hit.node->id();
        if (hit.node->face().isGroup && part != NodePart::Value && part != NodePart::Image) {
            scene.select({id});
            setGroupFolded(id, false);
        } else if (part == NodePart::Header) {
            texts.renameNode(id);
        }
    } else if (hit.wire) {
        toggleReroute(*hit.wire, hit.reroute, at.scene);
    } else if (!hit.group.empty()) {
        if (hit.boxPart == BoxPart::Title) {
            texts.renameGroup(hit.group);
        }
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

void GraphView::Parts::toggleBoxFold(const BoxItem& item) {
    ui::Box box = item.box();
    box.isCollapsed = !box.isCollapsed;
    const BoxKind kind = item.kind();
    model.apply(GraphView::tr("Collapse"),
                [&](graph::Document& document) { putBox(document, kind, box); });
}

void GraphView::Parts::toggleReroute(size_t index, int reroute, QPointF at) {
    const Wire wire = scene.wires().wires().at(index);
    std::vector<Point> points;
    for (const QPointF& point : wire.via) {
        points.push_back({point.x(), point.y()});
    }
    if (reroute >= 0) {
        points.erase(points.begin() + reroute);
    } else {
        const size_t inserted = positionOnWire(wire.start, wire.end, wire.via, at);
        points.insert(points.begin() + static_cast<std::ptrdiff_t>(inserted),
                      {std::round(at.x()), std::round(at.y())});
    }
    model.apply(reroute >= 0 ? GraphView::tr("Straighten wire") : GraphView::tr("Bend wire"),
                [&](graph::Document& document) { setReroutes(document, wire.to, points); });
}

void GraphView::Parts::mousePressed(const QMouseEvent& event) {
    rows.end();
    texts.end();
    search.hide();
    wiring.hide();
    tip.report({}, {});
    view.setFocus(Qt::MouseFocusReason);
    const QPoint point = event.position().toPoint();
    if (event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && heldKey)) {
        panFrom = point;
        hasPanned = false;
        view.viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (event.button() == Qt::LeftButton) {
        pressLeft(pointerAt(point, event.modifiers()));
        view.viewport()->update();
    }
}

void GraphView::Parts::mouseMoved(const QMouseEvent& event) {
    const QPoint point = event.position().toPoint();
    pointer = point;
    const PointerAt at = pointerAt(point, event.modifiers());
    if (panFrom) {
        navigation.pan(point - *panFrom);
        panFrom = point;
        hasPanned = true;
    } else if (gesture) {
        gesture->move(at);
        tip.report(gesture->refusal(), point);
        view.viewport()->update();
    } else if (press && event.buttons().testFlag(Qt::LeftButton)) {
        if ((point - press->viewport).manhattanLength() >= kDragPixels) {
            beginDrag(at);
        }
    } else {
        hover(at);
    }
}

void GraphView::Parts::mouseReleased(const QMouseEvent& event) {
    if (panFrom) {
        panFrom.reset();
        view.viewport()->setCursor(heldKey ? Qt::OpenHandCursor : Qt::ArrowCursor);
        return;
    }
    if (event.button() != Qt::LeftButton) {
        return;
    }
    const PointerAt at = pointerAt(event.position().toPoint(), event.modifiers());
    if (gesture) {
        const std::unique_ptr<Gesture> ended = std::move(gesture);
        ended->finish(at);
        tip.report({}, {});
    } else if (press) {
        click(at);
    }
    press.reset();
    view.viewport()->update();
}

void GraphView::Parts::wheelMoved(const QWheelEvent& event) {
    if (isTouchpad(event) && !event.modifiers().testFlag(Qt::ControlModifier)) {
        navigation.pan(event.pixelDelta().isNull() ? event.angleDelta() / 2 : event.pixelDelta());
    } else {
        navigation.zoomBy(event.angleDelta().y() / kNotchAngle, event.position());
    }
}

bool GraphView::Parts::takePointer(QEvent& event) {
    switch (event.type()) {
        case QEvent::MouseButtonPress:
            mousePressed(static_cast<QMouseEvent&>(event));
            break;
        case QEvent::MouseMove:
            mouseMoved(static_cast<QMouseEvent&>(event));
            break;
        case QEvent::MouseButtonRelease:
            mouseReleased(static_cast<QMouseEvent&>(event));
            break;
        case QEvent::MouseButtonDblClick:
            doubleClick(static_cast<QMouseEvent&>(event));
            break;
        case QEvent::Wheel:
            wheelMoved(static_cast<QWheelEvent&>(event));
            break;
        case QEvent::ContextMenu:
            openMenu(static_cast<QContextMenuEvent&>(event));
            break;
        default:
            return false;
    }
    event.accept();
    return true;
}

bool GraphView::Parts::takeDrop(QEvent& event) {
    if (event.type() == QEvent::DragLeave) {
        Q_EMIT view.filesLeft();
        return true;
    }
    const bool isEnter = event.type() == QEvent::DragEnter;
    if (!isEnter && event.type() != QEvent::DragMove && event.type() != QEvent::Drop) {
        return false;
    }
    auto& drop = static_cast<QDropEvent&>(event);
    if (isEnter && !drop.mimeData()->hasUrls()) {
        return true;
    }
    if (const QStringList files = localFiles(drop.mimeData()); !files.isEmpty()) {
        const DropSpot spot = spotAt(pointerAt(drop.position().toPoint(), {}));
        if (event.type() == QEvent::Drop) {
            Q_EMIT view.filesDropped(files, spot);
        } else {
            Q_EMIT view.filesHovered(files, spot);
        }
    }
    drop.acceptProposedAction();
    return true;
}

void GraphView::Parts::showTip(const QHelpEvent& event) {
    const PointerAt at = pointerAt(event.pos(), {});
    const QString text = tipFor(hitAt(scene, at.scene, at.zoom));
    QToolTip::showText(event.globalPos(), text, view.viewport());
}

bool GraphView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        parts_->showTip(static_cast<QHelpEvent&>(*event));
        return true;
    }
    if (event->type() == QEvent::NativeGesture) {
        const auto& pinch = static_cast<QNativeGestureEvent&>(*event);
        if (pinch.gestureType() == Qt::ZoomNativeGesture) {
            navigation().zoomAbout(pinch.position(), navigation().zoom() * (1 + pinch.value()));
            return true;
        }
    }
    if (event->type() == QEvent::Leave) {
        parts_->leave();
    }
    if (isEnabled() && (parts_->takePointer(*event) || parts_->takeDrop(*event))) {
        return true;
    }
    const bool isTaken = QGraphicsView::viewportEvent(event);
    if (event->type() == QEvent::Resize) {
        navigation().resized();
        parts_->moveEditors();
    }
    return isTaken;
}

bool GraphView::focusNextPrevChild(bool isForward) {
    return !isForward && QGraphicsView::focusNextPrevChild(false);  // Tab adds a node
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        event->setAccepted(parts_->gesture || !parts_->within.empty());
        if (parts_->gesture) {
            parts_->gesture->cancel();
            parts_->forgetGesture();
        } else if (!parts_->within.empty()) {
            parts_->leaveTo(parts_->scene.groups().of(parts_->within));
        }
        return;
    }
    const CanvasCommand* command = parts_->keys.commandOf(*event);
    event->setAccepted(command != nullptr);
    if (command == nullptr) {
        return;
    }
    if (!command->isHeld) {
        command->act(*parts_);
    } else if (!event->isAutoRepeat()) {
        parts_->heldKey = {event->key(), command};
        parts_->hasPanned = false;
        viewport()->setCursor(Qt::OpenHandCursor);
    }
}

/// False: another key is held, or none.
bool GraphView::Parts::letGo(const QKeyEvent& event) {
    if (!heldKey || event.key() != heldKey->key || event.isAutoRepeat()) {
        return false;
    }
    const CanvasCommand& command = *std::exchange(heldKey, std::nullopt)->command;
    view.viewport()->setCursor(Qt::ArrowCursor);
    if (!hasPanned && !panFrom) {
        command.act(*this);
    }
    return true;
}

void GraphView::Parts::focusMoved(const QFocusEvent& event) {
    const Qt::FocusReason reason = event.reason();
    showsFocus =
        event.gotFocus() && (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason ||
                             reason == Qt::ShortcutFocusReason);
    view.viewport()->update();
    if (event.gotFocus()) {
        elements->announceFocus();
    } else {
        heldKey.reset();
    }
}

bool GraphView::event(QEvent* event) {
    const QEvent::Type type = event->type();
    if (type == QEvent::KeyRelease && parts_->letGo(static_cast<QKeyEvent&>(*event))) {
        return true;
    }
    if (type == QEvent::ContextMenu && isEnabled()) {
        const auto& menu = static_cast<QContextMenuEvent&>(*event);
        if (menu.reason() == QContextMenuEvent::Keyboard) {  // others are the viewport's
            elements().showMenu();
            return true;
        }
    }
    const bool isTaken = QGraphicsView::event(event);
    if (type == QEvent::FocusIn || type == QEvent::FocusOut) {
        parts_->focusMoved(static_cast<QFocusEvent&>(*event));
    }
    return isTaken;
}

}  // namespace lowtide::ui
