#pragma once

#include "ui/studio/desktop_bus.hpp"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusObjectPath>
#include <QDBusUnixFileDescriptor>
#include <QDBusVirtualObject>
#include <QtTest/QtTest>

#include <fcntl.h>
#include <unistd.h>

namespace lowtide::ui {

/// A bus of the test's own, with the desktop services that the test names: they record every call.
class PrivateBus : public QDBusVirtualObject {
public:
    explicit PrivateBus(const QStringList& services) {
        daemon_.start("dbus-daemon", {"--session", "--nofork", "--nopidfile", "--print-address"});
        [&] { QVERIFY2(daemon_.waitForStarted(), "dbus-daemon is missing (package dbus)"); }();
        while (!daemon_.canReadLine() && daemon_.waitForReadyRead()) {
        }
        address = QString::fromUtf8(daemon_.readLine()).trimmed();
        QDBusConnection bus = QDBusConnection::connectToBus(address, name());
        [&] { QVERIFY(bus.registerVirtualObject("/", this, QDBusConnection::SubPath)); }();
        for (const QString& service : services) {
            [&] { QVERIFY(bus.registerService(service)); }();
        }
    }

    ~PrivateBus() override {
        QDBusConnection::disconnectFromBus(name());
        daemon_.kill();
        daemon_.waitForFinished();
        closeEnd();
    }

    [[nodiscard]] DesktopAddresses addresses() const { return {address, address}; }

    [[nodiscard]] QDBusConnection bus() const { return QDBusConnection(name()); }

    /// How often that method was called: "Inhibit".
    [[nodiscard]] qsizetype countOf(const QString& member) const {
        return std::count_if(calls.begin(), calls.end(), [&](const QDBusMessage& call) {
            return call.member() == member;
        });
    }

    [[nodiscard]] QDBusMessage last(const QString& member) const {
        const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const auto& call) {
            return call.member() == member;
        });
        return found == calls.rend() ? QDBusMessage() : *found;
    }

    /// logind's descriptor: whether nobody holds the other end any more.
    [[nodiscard]] bool isLockReleased() const {
        char byte = 0;
        return lockEnd_ >= 0 && ::read(lockEnd_, &byte, 1) == 0;
    }

    void press(const QString& path, const QString& interface, const QVariantList& values) {
        QDBusMessage signal = QDBusMessage::createSignal(path, interface, "ActionInvoked");
        signal.setArguments(values);
        bus().send(signal);
    }

    QString introspect(const QString&) const override { return {}; }

    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        if (message.interface() == "org.freedesktop.DBus.Introspectable") {
            return false;
        }
        calls.push_back(message);
        connection.send(answerTo(message));
        return true;
    }

    QString address;
    std::vector<QDBusMessage> calls;
    bool refusesAll = false;

private:
    QDBusMessage answerTo(const QDBusMessage& call) {
        const QString interface = call.interface();
        if (refusesAll) {
            return call.createErrorReply(QDBusError::AccessDenied, "not today");
        }
        if (interface == "org.freedesktop.portal.Inhibit") {
            return call.createReply(
                QVariant::fromValue(QDBusObjectPath("/org/freedesktop/portal/desktop/request/1")));
        }
        if (interface == "org.freedesktop.login1.Manager") {
            closeEnd();
            std::array<int, 2> ends{};
            [&] { QCOMPARE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0); }();
            lockEnd_ = ends[0];
            const QDBusUnixFileDescriptor held(ends[1]);
            ::close(ends[1]);
            return call.createReply(QVariant::fromValue(held));
        }
        if (interface == "org.freedesktop.ScreenSaver" && call.member() == "Inhibit") {
            return call.createReply(17U);
        }
        return call.member() == "Notify" ? call.createReply(5U) : call.createReply();
    }

    static QString name() { return QStringLiteral("private-services"); }

    void closeEnd() {
        if (lockEnd_ >= 0) {
            ::close(lockEnd_);
        }
        lockEnd_ = -1;
    }

    QProcess daemon_;
    int lockEnd_ = -1;
};

inline const QString kFakePortal = QStringLiteral("org.freedesktop.portal.Desktop");
inline const QString kFakeNotices = QStringLiteral("org.freedesktop.Notifications");
inline const QString kFakeLogin = QStringLiteral("org.freedesktop.login1");
inline const QString kFakeScreenSaver = QStringLiteral("org.freedesktop.ScreenSaver");

}  // namespace lowtide::ui
