#include "cli/os.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace lowtide::cli {

namespace {

std::atomic<int> interrupts = 0;

void onInterrupt(int signal) {
    if (interrupts.fetch_add(1) > 0) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
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

int parentProcess() {
    return getppid();
}

bool errorIsTerminal() {
    return isatty(STDERR_FILENO) == 1;
}

std::string becomeProgram(const std::string& path, const std::vector<std::string>& words) {
    std::vector<char*> arguments = {const_cast<char*>(path.c_str())};
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    return std::strerror(errno);
}

}  // namespace lowtide::cli
