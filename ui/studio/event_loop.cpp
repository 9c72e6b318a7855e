#include "ui/studio/event_loop.hpp"

#include <QApplication>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace lowtide::ui {

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
