#pragma once

#include "ui/theme/theme.hpp"

#include <QDBusConnection>
#include <QDBusVariant>
#include <QMap>
#include <QObject>
#include <QString>
#include <QVariant>

#include <optional>

namespace lowtide::ui {

/// How the user set up the desktop, as far as programs can know it.
struct PortalPreferences {
    std::optional<bool> isDark;  ///< nothing: the desktop has no opinion
    bool isHighContrast = false;
    bool isMotionReduced = false;
    double textScale = 1;  ///< how much larger texts are than usual

    bool operator==(const PortalPreferences&) const = default;
};

/// Follows the desktop's settings by its portal (org.freedesktop.portal.Settings). Where there is
/// none, nothing is wished.
class Desktop : public QObject {
    Q_OBJECT

public:
    /// `bus`: one that is not connected has no portal.
    explicit Desktop(const QDBusConnection& bus, QObject* parent = nullptr);

    [[nodiscard]] const PortalPreferences& preferences() const { return preferences_; }

    /// Waits for the portal, at most so long, where it was not heard yet.
    void waitForFirst(int milliseconds);

    /// The session's bus; one that is not connected where the session has none. Starts no bus.
    [[nodiscard]] static QDBusConnection sessionBus();

Q_SIGNALS:
    void changed();

private Q_SLOTS:
    void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void take(const QString& space, const QString& key, const QVariant& value);
    void takeAll(const QMap<QString, QVariantMap>& settings);

    QDBusConnection bus_;
    PortalPreferences preferences_;
    bool isContrast_ = false;       ///< by the setting that all desktops share
    bool isGnomeContrast_ = false;  ///< by the older one of GNOME
    bool isCalm_ = false;           ///< reduced motion, by the shared one
    bool isStill_ = false;          ///< GNOME's animations are off
    bool isHeard_ = false;
};

/// How much larger than the screen's own scale texts, controls and everything with them are shown:
/// what the user chose (percent) times what the desktop wants. `pointSize`: of the desktop's font
/// for programs; 0: none is known. `platform`: of QGuiApplication. X11 gives Qt the desktop's text
/// scale as the resolution of its screens, so there it counts already.
[[nodiscard]] double interfaceScale(const QString& percent,
                                    const PortalPreferences& preferences,
                                    double pointSize,
                                    const QString& platform);

/// Holds Qt's factor while a QApplication is made, times the one that the environment has, which is
/// as before afterwards: programs that the studio starts are not scaled.
class ScaledStart {
public:
    explicit ScaledStart(double scale);
    ~ScaledStart();

    ScaledStart(const ScaledStart&) = delete;
    ScaledStart& operator=(const ScaledStart&) = delete;

private:
    QByteArray before_;
    bool wasSet_;
};

/// Colours, contrast and motion as the user chose them here, or as the desktop has them, also when
/// that changes. Made before the first theme is applied, since it asks the desktop's own palette
/// where the desktop states nothing else.
class Appearance : public QObject {
    Q_OBJECT

public:
    explicit Appearance(QObject* parent = nullptr);

    /// Follows this desktop from now on; it must outlive it.
    void follow(Desktop& desktop);

    /// "light", "dark", "light_contrast", "dark_contrast"; others count as "system".
    void use(const QString& theme);
    /// "full", "reduced"; others count as "system".
    void useMotion(const QString& motion);

private:
    void apply();
    [[nodiscard]] Theme::Scheme scheme() const;

    Theme::Scheme paletteScheme_;
    const Desktop* desktop_ = nullptr;
    bool isApplied_ = false;
    QString theme_ = QStringLiteral("system");
    QString motion_ = QStringLiteral("system");
};

}  // namespace lowtide::ui
