#include "ui/access/listening.hpp"

#include <QAccessible>

namespace lowtide::ui {

namespace {

bool& aTestListens() {
    static bool isListening = false;
    return isListening;
}

}  // namespace

bool isListenedTo() {
    return QAccessible::isActive() || aTestListens();
}

void setTestListens(bool isListening) {
    aTestListens() = isListening;
}

}  // namespace lowtide::ui
