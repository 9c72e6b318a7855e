#include "ui/studio/escape_twice.hpp"

#include <QCoreApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QMainWindow>

namespace lowtide::ui {

namespace {

constexpr qint64 kMomentMilliseconds = 700;

/// A key comes to the window with the panels last, when nobody below has accepted it.
bool isLast(const QObject* watched) {
    const auto* widget = qobject_cast<const QWidget*>(watched);
    return widget && widget->isWindow() &&
           (qobject_cast<const QMainWindow*>(watched) || qobject_cast<const QDockWidget*>(watched));
}

}  // namespace

EscapeTwice::EscapeTwice(QObject* parent) : QObject(parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool EscapeTwice::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) {
        return false;
    }
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (key.key() != Qt::Key_Escape) {
        since_.invalidate();
    } else if (!key.isAutoRepeat() && isLast(watched)) {
        count();
    }
    return false;
}

void EscapeTwice::count() {
    if (since_.isValid() && since_.elapsed() < kMomentMilliseconds) {
        since_.invalidate();
        Q_EMIT pressed();
    } else {
        since_.start();
    }
}

}  // namespace lowtide::ui
