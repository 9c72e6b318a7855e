#include "ui/studio/appearance.hpp"

#include "ui/studio/desktop_bus.hpp"

#include <QApplication>
#include <QDBusArgument>
#include <QDBusMetaType>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusReply>
#include <QPalette>
#include <QStringList>
#include <QtGlobal>

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

using PortalSettings = QMap<QString, QVariantMap>;

constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kGnome = "org.gnome.desktop.interface";
constexpr const char* kGnomeAccess = "org.gnome.desktop.a11y.interface";
constexpr int kPortalMilliseconds = 5000;

QDBusMessage readAllCall() {
    const QStringList spaces{
        QLatin1String(kAppearance), QLatin1String(kGnome), QLatin1String(kGnomeAccess)};
    return portal("Settings").call("ReadAll", {spaces});
}

QVariant plain(const QVariant& value) {
    return value.canConvert<QDBusVariant>() ? plain(value.value<QDBusVariant>().variant()) : value;
}

constexpr const char* kFactor = "QT_SCALE_FACTOR";
constexpr double kUsualPoints = 11;  ///< the largest that a desktop has by itself
constexpr double kMostScale = 4;

constexpr std::pair<const char*, Theme::Scheme> kNamedSchemes[] = {
    {"light", Theme::Scheme::Light},
    {"dark", Theme::Scheme::Dark},
    {"light_contrast", Theme::Scheme::LightContrast},
    {"dark_contrast", Theme::Scheme::DarkContrast}};

}  // namespace

Desktop::Desktop(const QDBusConnection& bus, QObject* parent) : QObject(parent), bus_(bus) {
    if (!bus_.isConnected()) {
        return;
    }
    qDBusRegisterMetaType<PortalSettings>();
    const BusTarget settings = portal("Settings");
    bus_.connect(settings.service,
                 settings.path,
                 settings.interface,
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
    return standardDesktop().session.isEmpty() ? QDBusConnection(QStringLiteral("none"))
                                               : QDBusConnection::sessionBus();
}

void Desktop::takeAll(const PortalSettings& settings) {
    const PortalPreferences before = preferences_;
    for (auto space = settings.begin(); space != settings.end(); ++space) {
        for (auto key = space->begin(); key != space->end(); ++key) {
            take(space.key(), key.key(), plain(key.value()));
        }
    }
    isHeard_ = true;
    if (preferences_ != before) {
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
    const PortalPreferences before = preferences_;
    take(space, key, plain(value.variant()));
    if (preferences_ != before) {
        Q_EMIT changed();
    }
}

void Desktop::take(const QString& space, const QString& key, const QVariant& value) {
    if (space == QLatin1String(kAppearance) && key == QLatin1String("color-scheme")) {
        const uint scheme = value.toUInt();  // 0: no preference, 1: dark, 2: light
        preferences_.isDark = scheme == 1   ? std::optional(true)
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
        preferences_.textScale = std::clamp(value.toDouble(), 0.5, 3.0);
    }
    preferences_.isHighContrast = isContrast_ || isGnomeContrast_;
    preferences_.isMotionReduced = isCalm_ || isStill_;
}

double interfaceScale(const QString& percent,
                      const PortalPreferences& preferences,
                      double pointSize,
                      const QString& platform) {
    const double chosen = percent.toDouble() > 0 ? percent.toDouble() / 100 : 1;
    const double ofFont = std::max(1.0, pointSize / kUsualPoints);
    const double ofText = platform == QLatin1String("xcb") ? 1 : preferences.textScale;
    const double scale = chosen * std::max(ofFont, ofText);
    return std::clamp(std::round(scale * 20) / 20, 0.5, kMostScale);
}

ScaledStart::ScaledStart(double scale)
    : before_(qgetenv(kFactor)), wasSet_(qEnvironmentVariableIsSet(kFactor)) {
    const double own = before_.toDouble() > 0 ? before_.toDouble() : 1;
    qputenv(kFactor, QByteArray::number(own * scale));
}

ScaledStart::~ScaledStart() {
    if (wasSet_) {
        qputenv(kFactor, before_);
    } else {
        qunsetenv(kFactor);
    }
}

Appearance::Appearance(QObject* parent)
    : QObject(parent), paletteScheme_(Theme::schemeOf(QApplication::palette())) {}

void Appearance::follow(Desktop& desktop) {
    desktop_ = &desktop;
    connect(&desktop, &Desktop::changed, this, &Appearance::apply);
}

void Appearance::use(const QString& theme) {
    theme_ = theme;
    apply();
}

void Appearance::useMotion(const QString& motion) {
    motion_ = motion;
    apply();
}

Theme::Scheme Appearance::scheme() const {
    for (const auto& [name, scheme] : kNamedSchemes) {
        if (theme_ == QLatin1String(name)) {
            return scheme;
        }
    }
    const PortalPreferences preferences = desktop_ ? desktop_->preferences() : PortalPreferences();
    const bool isDark = preferences.isDark.value_or(paletteScheme_ == Theme::Scheme::Dark);
    return preferences.isHighContrast
               ? (isDark ? Theme::Scheme::DarkContrast : Theme::Scheme::LightContrast)
               : (isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
}

void Appearance::apply() {
    const bool isReduced =
        motion_ == QLatin1String("reduced") ||
        (motion_ != QLatin1String("full") && desktop_ && desktop_->preferences().isMotionReduced);
    Themed::instance().setMotionReduced(isReduced);
    const auto theme = std::make_shared<const Theme>(scheme());
    if (theme->scheme() == Theme::current().scheme() && isApplied_) {
        return;
    }
    isApplied_ = true;
    theme->applyTo(*qApp);
    Theme::setCurrent(theme);
}

}  // namespace lowtide::ui
