#include "ui/cli/os.hpp"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace lowtide::cli {

namespace {

std::atomic<int> interrupts = 0;

void onInterrupt(int) {
    interrupts.fetch_add(1);
}

}  // namespace

void catchInterrupts() {
    struct sigaction action {};

    action.sa_handler = onInterrupt;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int interruptCount() {
    return interrupts.load();
}

bool errorIsTerminal() {
    return isatty(STDERR_FILENO) == 1;
}

}  // namespace lowtide::cli
