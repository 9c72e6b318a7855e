#include "tests/unit/studio/document/ended_program.hpp"

#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lowtide::testing {

pid_t startChild(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child != 0) {
        return child;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no child outlives a failed test
    try {
        work();
    } catch (...) {
        endAtOnce(1);
    }
    endAtOnce();
}

void endAtOnce(int status) {
    ::_exit(status);
}

void killChild(pid_t child) {
    ::kill(child, SIGKILL);
    (void)waitForChild(child);
}

int waitForChild(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int runAndEnd(const std::function<void()>& work) {
    return waitForChild(startChild(work));
}

}  // namespace lowtide::testing
