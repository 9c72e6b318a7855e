#include "ui/widgets/event_guard.hpp"

#include "ui/bridge/failures.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QThread>

#include <set>
#include <utility>

namespace lowtide {

namespace {

std::set<const QObject*>& roots() {
    static std::set<const QObject*> all;
    return all;
}

bool isGuarded(const QObject* receiver) {
    while (receiver && !roots().contains(receiver)) {
        receiver = receiver->parent();
    }
    return receiver != nullptr;
}

/// False: it is not for here.
bool deliver(QObject* receiver, QEvent* event, bool& result) {
    static const QEvent* passing = nullptr;
    QCoreApplication& program = *QCoreApplication::instance();
    if (std::exchange(passing, nullptr) == event || QThread::currentThread() != program.thread() ||
        !isGuarded(receiver)) {
        return false;
    }
    try {
        if (event->spontaneous()) {  // sendEvent() would make it one that is not
            result = program.notify(receiver, event);
        } else {
            passing = event;
            result = QCoreApplication::sendEvent(receiver, event);
        }
    } catch (...) {
        ui::Failures::instance().takeCurrent();
    }
    return true;
}

/// As Qt calls it before every event: receiver, event, result; true: it was delivered here. A
/// filter of events cannot do this, since what filters come after it would be left out.
bool beforeEvent(void** parts) {
    auto* event = static_cast<QEvent*>(parts[1]);
    return deliver(static_cast<QObject*>(parts[0]), event, *static_cast<bool*>(parts[2]));
}

}  // namespace

void guardEvents(QObject& root) {
    static const bool isInstalled =
        QInternal::registerCallback(QInternal::EventNotifyCallback, beforeEvent);
    Q_UNUSED(isInstalled);
    if (roots().insert(&root).second) {
        QObject::connect(&root, &QObject::destroyed, [&root] { roots().erase(&root); });
    }
}

}  // namespace lowtide
