#include "ui/studio/escape_twice.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QWindow>

namespace lowtide::ui {

namespace {

constexpr qint64 kMomentMilliseconds = 700;

}  // namespace

EscapeTwice::EscapeTwice(QObject* parent) : QObject(parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool EscapeTwice::eventFilter(QObject* watched, QEvent* event) {
    // A key arrives at the window once, and then at widgets up from the one with the focus.
    if (event->type() != QEvent::KeyPress || !qobject_cast<QWindow*>(watched)) {
        return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (key.isAutoRepeat()) {
        return false;
    }
    if (key.key() != Qt::Key_Escape) {
        since_.invalidate();
    } else if (since_.isValid() && since_.elapsed() < kMomentMilliseconds) {
        since_.invalidate();
        Q_EMIT pressed();
    } else {
        since_.start();
    }
    return false;
}

}  // namespace lowtide::ui
