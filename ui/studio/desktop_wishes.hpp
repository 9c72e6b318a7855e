#pragma once

#include <QDBusConnection>
#include <QDBusVariant>
#include <QMap>
#include <QObject>
#include <QString>
#include <QVariant>

#include <optional>

namespace lowtide::ui {

/// How a person set up the desktop, as far as programs are told.
struct DesktopWishes {
    std::optional<bool> isDark;  ///< nothing: the desktop has no opinion
    bool isHighContrast = false;
    bool isMotionReduced = false;
    double textScale = 1;  ///< how much larger texts are than usual

    bool operator==(const DesktopWishes&) const = default;
};

/// Follows the desktop's settings by its portal (org.freedesktop.portal.Settings). Where there is
/// none, nothing is wished.
class Desktop : public QObject {
    Q_OBJECT

public:
    /// `bus`: one that is not connected has no portal.
    explicit Desktop(const QDBusConnection& bus, QObject* parent = nullptr);

    [[nodiscard]] const DesktopWishes& wishes() const { return wishes_; }

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
    DesktopWishes wishes_;
    bool isContrast_ = false;       ///< by the setting that all desktops share
    bool isGnomeContrast_ = false;  ///< by the older one of GNOME
    bool isCalm_ = false;           ///< reduced motion, by the shared one
    bool isStill_ = false;          ///< GNOME's animations are off
    bool isHeard_ = false;
};

}  // namespace lowtide::ui
