#include "tests/journey/screen/private_bus.hpp"

#include <QFile>

#include <csignal>
#include <stdexcept>
#include <sys/prctl.h>

namespace lowtide::testing {

namespace {

constexpr int kDaemonMilliseconds = 20000;

}  // namespace

void endWithTest(QProcess& process) {
    process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
}

PrivateBus::PrivateBus() {
    endWithTest(daemon_);
    daemon_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_RUNTIME_DIR", runtime_.path());
    daemon_.setProcessEnvironment(environment);
    daemon_.start(
        "dbus-daemon",
        {"--session", "--nofork", "--print-address=1", "--address=unix:tmpdir=" + runtime_.path()});
    if (!daemon_.waitForStarted() || !daemon_.waitForReadyRead(kDaemonMilliseconds)) {
        throw std::runtime_error(
            "dbus-daemon did not start; install the Debian package dbus-daemon");
    }
    address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
    if (!QFile::exists("/usr/share/dbus-1/services/org.a11y.Bus.service")) {
        throw std::runtime_error(
            "there is no accessibility bus; install the Debian package at-spi2-core");
    }
}

PrivateBus::~PrivateBus() {
    daemon_.terminate();
    daemon_.waitForFinished();
}

}  // namespace lowtide::testing
