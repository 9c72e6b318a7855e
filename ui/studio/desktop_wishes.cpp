#include "ui/studio/desktop_wishes.hpp"

#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusReply>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>

namespace lowtide::ui {

namespace {

using PortalSettings = QMap<QString, QVariantMap>;

constexpr const char* kWishesPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kWishesPath = "/org/freedesktop/portal/desktop";
constexpr const char* kPortalSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kGnome = "org.gnome.desktop.interface";
constexpr const char* kGnomeAccess = "org.gnome.desktop.a11y.interface";
constexpr int kPortalMilliseconds = 5000;

QDBusMessage readAllCall() {
    QDBusMessage call = QDBusMessage::createMethodCall(QLatin1String(kWishesPortal),
                                                       QLatin1String(kWishesPath),
                                                       QLatin1String(kPortalSettings),
                                                       QStringLiteral("ReadAll"));
    call << QStringList{
        QLatin1String(kAppearance), QLatin1String(kGnome), QLatin1String(kGnomeAccess)};
    return call;
}

QVariant plain(const QVariant& value) {
    return value.canConvert<QDBusVariant>() ? plain(value.value<QDBusVariant>().variant()) : value;
}

}  // namespace

Desktop::Desktop(const QDBusConnection& bus, QObject* parent) : QObject(parent), bus_(bus) {
    if (!bus_.isConnected()) {
        return;
    }
    qDBusRegisterMetaType<PortalSettings>();
    bus_.connect(QLatin1String(kWishesPortal),
                 QLatin1String(kWishesPath),
                 QLatin1String(kPortalSettings),
                 QStringLiteral("SettingChanged"),
                 this,
                 SLOT(settingChanged(QString, QString, QDBusVariant)));
    auto* asked =
        new QDBusPendingCallWatcher(bus_.asyncCall(readAllCall(), kPortalMilliseconds), this);
    connect(asked, &QDBusPendingCallWatcher::finished, this, [this, asked] {
        asked->deleteLater();
        const QDBusPendingReply<PortalSettings> reply = *asked;
        if (reply.isValid()) {  // else there is no portal: the desktop has no opinion
            takeAll(reply.value());
        }
    });
}

QDBusConnection Desktop::sessionBus() {
    const bool isKnown =
        qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
        QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
    return isKnown ? QDBusConnection::sessionBus() : QDBusConnection(QStringLiteral("none"));
}

void Desktop::takeAll(const PortalSettings& settings) {
    const DesktopWishes before = wishes_;
    for (auto space = settings.begin(); space != settings.end(); ++space) {
        for (auto key = space->begin(); key != space->end(); ++key) {
            take(space.key(), key.key(), plain(key.value()));
        }
    }
    isHeard_ = true;
    if (wishes_ != before) {
        Q_EMIT changed();
    }
}

void Desktop::waitForFirst(int milliseconds) {
    if (!bus_.isConnected() || isHeard_ || milliseconds <= 0) {
        return;
    }
    const QDBusReply<PortalSettings> reply = bus_.call(readAllCall(), QDBus::Block, milliseconds);
    if (reply.isValid()) {
        takeAll(reply.value());
    }
}

void Desktop::settingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
    const DesktopWishes before = wishes_;
    take(space, key, plain(value.variant()));
    if (wishes_ != before) {
        Q_EMIT changed();
    }
}

void Desktop::take(const QString& space, const QString& key, const QVariant& value) {
    if (space == QLatin1String(kAppearance) && key == QLatin1String("color-scheme")) {
        const uint scheme = value.toUInt();  // 0: no preference, 1: dark, 2: light
        wishes_.isDark = scheme == 1   ? std::optional(true)
                         : scheme == 2 ? std::optional(false)
                                       : std::nullopt;
    } else if (space == QLatin1String(kAppearance) && key == QLatin1String("contrast")) {
        isContrast_ = value.toUInt() == 1;
    } else if (space == QLatin1String(kAppearance) && key == QLatin1String("reduced-motion")) {
        isCalm_ = value.toUInt() == 1;
    } else if (space == QLatin1String(kGnomeAccess) && key == QLatin1String("high-contrast")) {
        isGnomeContrast_ = value.toBool();
    } else if (space == QLatin1String(kGnome) && key == QLatin1String("enable-animations")) {
        isStill_ = !value.toBool();
    } else if (space == QLatin1String(kGnome) && key == QLatin1String("text-scaling-factor")) {
        wishes_.textScale = std::clamp(value.toDouble(), 0.5, 3.0);
    }
    wishes_.isHighContrast = isContrast_ || isGnomeContrast_;
    wishes_.isMotionReduced = isCalm_ || isStill_;
}

}  // namespace lowtide::ui
