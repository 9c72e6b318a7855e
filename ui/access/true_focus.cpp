#include "ui/access/true_focus.hpp"

#include <QAbstractItemView>
#include <QAccessible>

namespace lowtide::ui {

namespace {

/// Whoever handled events before goes on to do so.
QAccessible::UpdateHandler& handlerBefore() {
    static QAccessible::UpdateHandler handler = nullptr;
    return handler;
}

void handOn(QAccessibleEvent* event) {
    const auto* list = qobject_cast<const QAbstractItemView*>(event->object());
    if (event->type() == QAccessible::Focus && list != nullptr && !list->hasFocus()) {
        return;
    }
    QAccessible::installUpdateHandler(handlerBefore());
    QAccessible::updateAccessibility(event);
    QAccessible::installUpdateHandler(handOn);
}

}  // namespace

void keepFocusTrue() {
    const QAccessible::UpdateHandler now = QAccessible::installUpdateHandler(handOn);
    if (now != handOn) {
        handlerBefore() = now;
    }
}

}  // namespace lowtide::ui
