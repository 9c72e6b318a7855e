#include "ui/studio/desktop_bus.hpp"

#include "plugin/base/log.hpp"
#include "ui/bridge/background.hpp"

#include <QDBusError>
#include <QDBusPendingCallWatcher>
#include <QFileInfo>

namespace lowtide::ui {

namespace {

constexpr int kAnswerMilliseconds = 10'000;

/// The variable's address, else that of the socket, if it is there.
QString addressIn(const char* variable, const QString& socket) {
    const QString stated = qEnvironmentVariable(variable);
    return !stated.isEmpty()           ? stated
           : QFileInfo::exists(socket) ? QStringLiteral("unix:path=") + socket
                                       : QString();
}

QString freshName() {
    static int number = 0;
    return QStringLiteral("lowtide-%1").arg(++number);
}

}  // namespace

DesktopAddresses standardDesktop() {
    return {.session = addressIn("DBUS_SESSION_BUS_ADDRESS",
                                 qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus")),
            .system = addressIn("DBUS_SYSTEM_BUS_ADDRESS",
                                QStringLiteral("/run/dbus/system_bus_socket"))};
}

QDBusMessage BusTarget::call(const char* method, const QVariantList& arguments) const {
    QDBusMessage message =
        QDBusMessage::createMethodCall(service, path, interface, QLatin1String(method));
    message.setArguments(arguments);
    return message;
}

BusTarget portal(const char* part) {
    return {.service = QStringLiteral("org.freedesktop.portal.Desktop"),
            .path = QStringLiteral("/org/freedesktop/portal/desktop"),
            .interface = QStringLiteral("org.freedesktop.portal.") + QLatin1String(part)};
}

DesktopBus::DesktopBus(const QString& address, const QString& what, QObject* parent)
    : QObject(parent), address_(address), what_(what), name_(freshName()) {}

DesktopBus::~DesktopBus() {
    if (bus_) {
        bus_.reset();
        QDBusConnection::disconnectFromBus(name_);
    }
}

void DesktopBus::ask(const QDBusMessage& question,
                     std::function<void(const QDBusMessage& answer)> done) {
    if (bus_ || isBroken_) {
        send({question, std::move(done)});
        return;
    }
    waiting_.push_back({question, std::move(done)});
    connectSoon();
}

void DesktopBus::whenConnected(std::function<void(QDBusConnection&)> act) {
    if (bus_) {
        act(*bus_);
    } else if (!isBroken_) {
        later_.push_back(std::move(act));
    }
}

void DesktopBus::connectSoon() {
    if (isConnecting_) {
        return;
    }
    isConnecting_ = true;
    if (address_.isEmpty()) {
        QMetaObject::invokeMethod(
            this, [this] { take(false, QStringLiteral("there is none")); }, Qt::QueuedConnection);
        return;
    }
    later(
        this,
        [address = address_, name = name_] {
            const QDBusConnection bus = QDBusConnection::connectToBus(address, name);
            return bus.isConnected() ? QString() : bus.lastError().message() + QLatin1Char(' ');
        },
        [this](const QString& problem) { take(problem.isEmpty(), problem.trimmed()); });
}

void DesktopBus::take(bool isConnected, const QString& problem) {
    if (isConnected) {
        bus_.emplace(name_);
        for (const auto& act : std::exchange(later_, {})) {
            act(*bus_);
        }
    } else {
        isBroken_ = true;
        log(Level::Info, (QStringLiteral("no %1: ").arg(what_) + problem).toStdString());
    }
    for (const Question& question : std::exchange(waiting_, {})) {
        send(question);
    }
}

void DesktopBus::send(const Question& question) {
    if (!bus_) {
        question.done(question.message.createErrorReply(QDBusError::Disconnected,
                                                        QStringLiteral("there is no ") + what_));
        return;
    }
    auto* watcher =
        new QDBusPendingCallWatcher(bus_->asyncCall(question.message, kAnswerMilliseconds), this);
    connect(watcher,
            &QDBusPendingCallWatcher::finished,
            this,
            [done = question.done](QDBusPendingCallWatcher* call) {
                call->deleteLater();
                done(call->reply());
            });
}

}  // namespace lowtide::ui
