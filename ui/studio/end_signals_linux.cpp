#include "ui/studio/end_signals.hpp"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace lowtide::ui {

namespace {

constexpr std::array kEndSignals = {SIGTERM, SIGINT, SIGHUP};

volatile sig_atomic_t wakeUp = -1;  ///< the end of the pipe that is written to

void setHandlers(void (*handler)(int)) {
    for (const int each : kEndSignals) {
        struct sigaction action {};

        action.sa_handler = handler;
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        static_cast<void>(sigaction(each, &action, nullptr));
    }
}

/// Only what a handler of signals may call. The next signal ends the program.
void onSignal(int) {
    for (const int each : kEndSignals) {
        static_cast<void>(std::signal(each, SIG_DFL));
    }
    const char byte = 1;
    static_cast<void>(!::write(wakeUp, &byte, 1));
}

}  // namespace

EndSignals::EndSignals(QObject* parent) : QObject(parent) {
    if (::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        return;  // signals end the program as they did
    }
    wakeUp = pipe_[1];
    notifier_.emplace(pipe_[0], QSocketNotifier::Read);
    connect(&*notifier_, &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        static_cast<void>(!::read(pipe_[0], &byte, 1));
        Q_EMIT asked();
    });
    setHandlers(onSignal);
}

EndSignals::~EndSignals() {
    if (!notifier_) {
        return;
    }
    setHandlers(SIG_DFL);
    notifier_.reset();
    ::close(pipe_[0]);
    ::close(pipe_[1]);
}

}  // namespace lowtide::ui
