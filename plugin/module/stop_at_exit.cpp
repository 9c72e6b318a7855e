#include "plugin/module/stop_at_exit.hpp"

#include "plugin/base/hash.hpp"
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

struct StopFirst {
    bool isWanted = false;

    ~StopFirst() {
        if (isWanted) {
            stopRunner();
        }
    }
};

thread_local StopFirst stopFirst;

}  // namespace

void stopAtExit(Runner& runner) {
    atExit = {&runner, processId()};
    // OpenSSL takes its tables down in a handler of its own, made with the first hash. Handlers run
    // in the reverse order: that one must be there before.
    static_cast<void>(sha256Hex(""));
    std::atexit(&stopRunner);
    if (isMainThread()) {
        stopFirstAtExitOfThisThread();
    }
}

void stopFirstAtExitOfThisThread() {
    stopFirst.isWanted = true;
}

}  // namespace lowtide::module
