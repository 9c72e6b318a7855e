#include "ui/access/listening.hpp"

#include <QAccessible>

#include <utility>

namespace lowtide::ui {

namespace {

std::function<void(QAccessibleEvent&)>& testListener() {
    static std::function<void(QAccessibleEvent&)> listener;
    return listener;
}

}  // namespace

bool isListenedTo() {
    return QAccessible::isActive() || testListener() != nullptr;
}

void tellAccess(QAccessibleEvent& event) {
    if (testListener()) {
        testListener()(event);
    } else {
        QAccessible::updateAccessibility(&event);
    }
}

void setTestListener(std::function<void(QAccessibleEvent&)> listener) {
    testListener() = std::move(listener);
}

}  // namespace lowtide::ui
