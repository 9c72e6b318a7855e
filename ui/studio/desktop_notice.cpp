#include "ui/studio/desktop_notice.hpp"

#include <QGuiApplication>
#include <QVariantMap>

namespace lowtide::ui {

namespace {

const QString kPortal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kPortalNotices = QStringLiteral("org.freedesktop.portal.Notification");
const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kServicePath = QStringLiteral("/org/freedesktop/Notifications");
const QString kId = QStringLiteral("run");
const QString kShow = QStringLiteral("default");

QDBusMessage portalCall(const char* method) {
    return QDBusMessage::createMethodCall(
        kPortal, kPortalPath, kPortalNotices, QLatin1String(method));
}

QDBusMessage serviceCall(const char* method) {
    return QDBusMessage::createMethodCall(kService, kServicePath, kService, QLatin1String(method));
}

}  // namespace

DesktopNotice::DesktopNotice(DesktopBus& bus, QObject* parent) : QObject(parent), bus_(bus) {
    bus_.whenConnected([this](QDBusConnection& connected) { listen(connected); });
}

/// From any sender: who the services are would have to be asked first.
void DesktopNotice::listen(QDBusConnection& bus) {
    const QString action = QStringLiteral("ActionInvoked");
    bus.connect(QString(),
                kPortalPath,
                kPortalNotices,
                action,
                this,
                SLOT(takePortalAction(QString, QString, QVariantList)));
    bus.connect(QString(), kServicePath, kService, action, this, SLOT(takeAction(uint, QString)));
    bus.connect(QString(),
                kServicePath,
                kService,
                QStringLiteral("ActivationToken"),
                this,
                SLOT(takeToken(uint, QString)));
}

void DesktopNotice::show(const QString& title, const QString& text) {
    QDBusMessage call = portalCall("AddNotification");
    call << kId
         << QVariantMap{{QStringLiteral("title"), title},
                        {QStringLiteral("body"), text},
                        {QStringLiteral("default-action"), kShow}};
    bus_.ask(call, [this, title, text](const QDBusMessage& answer) {
        if (answer.type() == QDBusMessage::ReplyMessage) {
            by_ = By::Portal;
        } else {
            showByService(title, text);
        }
    });
}

void DesktopNotice::showByService(const QString& title, const QString& text) {
    QDBusMessage call = serviceCall("Notify");
    call << QStringLiteral("Lowtide") << shown_ << QStringLiteral("lowtide-studio") << title
         << text.toHtmlEscaped() << QStringList{kShow, tr("Show")} << QVariantMap() << -1;
    bus_.ask(call, [this](const QDBusMessage& answer) {
        if (answer.type() == QDBusMessage::ReplyMessage) {
            by_ = By::Service;
            shown_ = answer.arguments().value(0).toUInt();
        } else {
            Q_EMIT refused();
        }
    });
}

void DesktopNotice::takeBack() {
    const By by = std::exchange(by_, By::Nobody);
    if (by == By::Portal) {
        bus_.ask(portalCall("RemoveNotification") << kId, [](const QDBusMessage&) {});
    } else if (by == By::Service) {
        bus_.ask(serviceCall("CloseNotification") << std::exchange(shown_, 0),
                 [](const QDBusMessage&) {});
    }
}

void DesktopNotice::takePortalAction(const QString& id, const QString&, const QVariantList&) {
    if (by_ == By::Portal && id == kId) {
        by_ = By::Nobody;  // the desktop takes it away
        Q_EMIT activated();
    }
}

void DesktopNotice::takeAction(uint id, const QString&) {
    if (by_ == By::Service && id == shown_) {
        by_ = By::Nobody;
        shown_ = 0;
        Q_EMIT activated();
    }
}

/// Comes before the action; Qt takes it when the window asks to be in front. It has no other way
/// than the environment, which other threads read: nothing is written where nobody takes it.
void DesktopNotice::takeToken(uint id, const QString& token) {
    const bool isTaken = QGuiApplication::platformName().startsWith(QLatin1String("wayland"));
    if (isTaken && by_ == By::Service && id == shown_) {
        qputenv("XDG_ACTIVATION_TOKEN", token.toUtf8());
    }
}

}  // namespace lowtide::ui
