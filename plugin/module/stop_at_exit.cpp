#include "plugin/module/stop_at_exit.hpp"

#include "plugin/module/os.hpp"

#include <cstdlib>

namespace lowtide::module {

namespace {

struct AtExit {
    Runner* runner = nullptr;
    int64_t process = 0;
};

AtExit atExit;  // handlers of exit() take no argument

/// A child that was forked has none of the threads that a stop would wait for.
void stopRunner() {
    if (atExit.process == processId()) {
        atExit.runner->stop();
    }
}

}  // namespace

void stopAtExit(Runner& runner) {
    atExit = {&runner, processId()};
    std::atexit(&stopRunner);
}

}  // namespace lowtide::module
