#pragma once

#include <QtCore>

namespace lowtide::testing {

/// The process is ended with the test, however that ends.
void endWithTest(QProcess& process);

/// A session bus of its own, which ends with it.
class PrivateBus {
public:
    /// Waits for the bus; throws std::runtime_error with what is missing.
    PrivateBus();
    ~PrivateBus();

    [[nodiscard]] const QString& address() const { return address_; }

    /// Holds the sockets of the bus.
    [[nodiscard]] QString runtimeFolder() const { return runtime_.path(); }

private:
    QTemporaryDir runtime_;
    QProcess daemon_;
    QString address_;
};

}  // namespace lowtide::testing
