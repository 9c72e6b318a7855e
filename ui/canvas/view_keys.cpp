// GraphView's keys. The window's actions may take them first; a canvas that stands alone has them
// all.
#include "ui/canvas/graph_view_parts.hpp"

#include <QKeyEvent>

namespace lowtide::ui {

namespace {

struct KeySlot {
    Qt::KeyboardModifiers modifiers;
    int key;
    void (GraphView::*slot)();
};

constexpr auto kNone = Qt::NoModifier;
constexpr auto kCtrl = Qt::ControlModifier;
constexpr auto kCtrlShift = Qt::ControlModifier | Qt::ShiftModifier;

const KeySlot kSlots[] = {
    {kNone, Qt::Key_Tab, &GraphView::openSearch},
    {kNone, Qt::Key_Delete, &GraphView::removeSelected},
    {kNone, Qt::Key_Backspace, &GraphView::removeSelected},
    {kNone, Qt::Key_F2, &GraphView::renameSelected},
    {kNone, Qt::Key_F, &GraphView::zoomToSelected},
    {kNone, Qt::Key_Period, &GraphView::zoomToSelected},
    {kNone, Qt::Key_Home, &GraphView::zoomToAll},
    {kNone, Qt::Key_P, &GraphView::pinSelected},
    {Qt::AltModifier, Qt::Key_C, &GraphView::collapseSelected},
    {kCtrl, Qt::Key_A, &GraphView::selectAllNodes},
    {kCtrl, Qt::Key_C, &GraphView::copy},
    {kCtrl, Qt::Key_X, &GraphView::cut},
    {kCtrl, Qt::Key_V, &GraphView::paste},
    {kCtrlShift, Qt::Key_V, &GraphView::pasteWithWires},
    {kCtrl, Qt::Key_D, &GraphView::duplicate},
    {kCtrlShift, Qt::Key_D, &GraphView::duplicateWithWires},
    {kCtrl, Qt::Key_M, &GraphView::muteSelected},
    {kCtrl, Qt::Key_B, &GraphView::bypassSelected},
    {kCtrl, Qt::Key_G, &GraphView::frameSelected},
    {kCtrl, Qt::Key_L, &GraphView::arrangeNodes},
    {kCtrl, Qt::Key_1, &GraphView::zoomToActual},
    {kCtrl, Qt::Key_Plus, &GraphView::zoomIn},
    {kCtrl, Qt::Key_Equal, &GraphView::zoomIn},
    {kCtrl, Qt::Key_Minus, &GraphView::zoomOut},
};

std::optional<WalkDirection> walkOf(int key) {
    switch (key) {
        case Qt::Key_Left:
            return WalkDirection::Left;
        case Qt::Key_Right:
            return WalkDirection::Right;
        case Qt::Key_Up:
            return WalkDirection::Up;
        case Qt::Key_Down:
            return WalkDirection::Down;
        default:
            return std::nullopt;
    }
}

}  // namespace

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

bool GraphView::focusNextPrevChild(bool) {
    return false;  // Tab adds a node
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    event->accept();
    if (event->key() == Qt::Key_Escape) {
        if (parts_->gesture) {
            parts_->gesture->cancel();
            parts_->forgetGesture();
        } else {
            event->ignore();  // the window cancels a run
        }
        return;
    }
    if (event->key() == Qt::Key_Space && modifiers == kNone) {
        if (!event->isAutoRepeat()) {
            parts_->isSpaceDown = true;
            parts_->hasPanned = false;
            viewport()->setCursor(Qt::OpenHandCursor);
        }
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        const NodeIds selected = selectedNodes();
        if (modifiers == kNone && selected.size() == 1) {
            parts_->rows.beginNext(*selected.begin(), 1);
        } else {
            event->ignore();
        }
        return;
    }
    if (event->key() == Qt::Key_Delete && modifiers == kCtrl) {
        parts_->removeSelected(true);
        return;
    }
    if (const std::optional<WalkDirection> direction = walkOf(event->key());
        direction && (modifiers == kNone || modifiers == Qt::AltModifier)) {
        parts_->walk(*direction, modifiers == Qt::AltModifier);
        return;
    }
    for (const KeySlot& row : kSlots) {
        if (row.key == event->key() && row.modifiers == modifiers) {
            (this->*row.slot)();
            return;
        }
    }
    event->ignore();
}

void GraphView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat() && parts_->isSpaceDown) {
        parts_->isSpaceDown = false;
        viewport()->setCursor(Qt::ArrowCursor);
        if (!parts_->hasPanned && !parts_->panFrom) {
            openSearch();
        }
        return;
    }
    QGraphicsView::keyReleaseEvent(event);
}

void GraphView::focusOutEvent(QFocusEvent* event) {
    parts_->isSpaceDown = false;
    QGraphicsView::focusOutEvent(event);
}

}  // namespace lowtide::ui
