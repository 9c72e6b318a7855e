// GraphView's keys: canvasCommands(), by the keys that CanvasKeys holds. Escape is fixed.
#include "ui/canvas/canvas_elements.hpp"
#include "ui/canvas/graph_view_parts.hpp"

#include <QKeyEvent>

#include <utility>

namespace lowtide::ui {

void GraphView::setKeys(const std::string& command, const QList<QKeySequence>& keys) {
    parts_->keys.set(command, keys);
}

void GraphView::Parts::walk(WalkDirection direction, bool isAlongWires) {
    const NodeIds selected = scene.selectedNodes();
    const std::string current = selected.empty() ? std::string() : *selected.begin();
    const NodeRects rects = scene.nodeRects();
    const std::string next = isAlongWires && !current.empty()
                                 ? nodeAlongWires(model.document(), rects, current, direction)
                                 : nodeBeside(rects, current, direction);
    if (!next.empty()) {
        view.reveal(next);
    }
}

void GraphView::walk(int direction) {
    parts_->walk(static_cast<WalkDirection>(direction), false);
}

void GraphView::walkWires(int direction) {
    parts_->walk(static_cast<WalkDirection>(direction), true);
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
    parts_->elements->tellFocus();
}

void GraphView::focusOutEvent(QFocusEvent* event) {
    parts_->heldKey.reset();
    parts_->showsFocus = false;
    viewport()->update();
    QGraphicsView::focusOutEvent(event);
}

}  // namespace lowtide::ui
