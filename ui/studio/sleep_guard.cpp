#include "ui/studio/sleep_guard.hpp"

#include "plugin/base/log.hpp"

#include <QDBusObjectPath>
#include <QDBusUnixFileDescriptor>
#include <QVariantMap>

#include <memory>

namespace lowtide::ui {

namespace {

constexpr uint kSuspend = 4;  ///< of the portal's flags

bool isAnswer(const QDBusMessage& message) {
    return message.type() == QDBusMessage::ReplyMessage && !message.arguments().isEmpty();
}

const auto kForget = [](const QDBusMessage&) {};

QDBusMessage screenSaverCall(const char* method) {
    const QString name = QStringLiteral("org.freedesktop.ScreenSaver");
    return QDBusMessage::createMethodCall(
        name, QStringLiteral("/org/freedesktop/ScreenSaver"), name, QLatin1String(method));
}

}  // namespace

SleepGuard::SleepGuard(DesktopBus& session, DesktopBus& system, QObject* parent)
    : QObject(parent), session_(session), system_(system) {}

void SleepGuard::hold(const QString& reason) {
    if (!std::exchange(isWanted_, true)) {
        askPortal(++number_, reason);
    }
}

void SleepGuard::release() {
    isWanted_ = false;
    ++number_;
    if (const Undo undo = std::exchange(undo_, nullptr)) {
        undo();
    }
}

/// What came too late is undone at once.
void SleepGuard::keep(int number, Undo undo) {
    if (number == number_) {
        undo_ = std::move(undo);
    } else {
        undo();
    }
}

void SleepGuard::askPortal(int number, const QString& reason) {
    const QString portal = QStringLiteral("org.freedesktop.portal.Desktop");
    QDBusMessage call =
        QDBusMessage::createMethodCall(portal,
                                       QStringLiteral("/org/freedesktop/portal/desktop"),
                                       QStringLiteral("org.freedesktop.portal.Inhibit"),
                                       QStringLiteral("Inhibit"));
    call << QString() << kSuspend << QVariantMap{{QStringLiteral("reason"), reason}};
    session_.ask(call, [this, number, reason, portal](const QDBusMessage& answer) {
        if (!isAnswer(answer)) {
            askLogin(number, reason);
            return;
        }
        const QString request = answer.arguments().front().value<QDBusObjectPath>().path();
        keep(number, [this, request, portal] {
            session_.ask(
                QDBusMessage::createMethodCall(portal,
                                               request,
                                               QStringLiteral("org.freedesktop.portal.Request"),
                                               QStringLiteral("Close")),
                kForget);
        });
    });
}

void SleepGuard::askLogin(int number, const QString& reason) {
    QDBusMessage call =
        QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.login1"),
                                       QStringLiteral("/org/freedesktop/login1"),
                                       QStringLiteral("org.freedesktop.login1.Manager"),
                                       QStringLiteral("Inhibit"));
    call << QStringLiteral("sleep") << QStringLiteral("Lowtide") << reason
         << QStringLiteral("block");
    system_.ask(call, [this, number, reason](const QDBusMessage& answer) {
        if (!isAnswer(answer)) {
            askScreenSaver(number, reason);
            return;
        }
        // It lasts until the descriptor is closed.
        auto held = std::make_shared<QDBusUnixFileDescriptor>(
            answer.arguments().front().value<QDBusUnixFileDescriptor>());
        keep(number, [held] { *held = QDBusUnixFileDescriptor(); });
    });
}

void SleepGuard::askScreenSaver(int number, const QString& reason) {
    const QDBusMessage call = screenSaverCall("Inhibit") << QStringLiteral("Lowtide") << reason;
    session_.ask(call, [this, number](const QDBusMessage& answer) {
        if (isAnswer(answer)) {
            const uint cookie = answer.arguments().front().toUInt();
            keep(number,
                 [this, cookie] { session_.ask(screenSaverCall("UnInhibit") << cookie, kForget); });
        } else if (!std::exchange(isRefusalTold_, true)) {
            log(Level::Info, "nothing here keeps the computer awake while runs are at work");
        }
    });
}

}  // namespace lowtide::ui
