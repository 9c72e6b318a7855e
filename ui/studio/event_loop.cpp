#include "ui/studio/event_loop.hpp"

#include "ui/bridge/failures.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace lowtide::ui {

bool StudioApplication::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (...) {
        Failures::instance().takeCurrent();
        return false;
    }
}

int runEventLoop() {
    try {
        return QApplication::exec();
    } catch (const std::exception& error) {
        std::fprintf(stderr,
                     "lowtide-studio: a part of the studio failed: %s; what was not saved is "
                     "offered at the next start\n",
                     error.what());
        std::_Exit(kFailedExit);
    }
}

}  // namespace lowtide::ui
