#pragma once

#include "ui/studio/desktop_bus.hpp"

#include <QVariantList>

namespace lowtide::ui {

/// A notification of the desktop: by its portal, else by its notification service. The newest one
/// takes the place of the one before. `bus` must outlive it.
class DesktopNotice : public QObject {
    Q_OBJECT

public:
    explicit DesktopNotice(DesktopBus& bus, QObject* parent = nullptr);

    void show(const QString& title, const QString& text);
    /// It is of no use any more.
    void takeBack();

Q_SIGNALS:
    /// The person pressed it.
    void activated();
    /// Nobody shows notifications here.
    void refused();

private Q_SLOTS:  // of the bus, which knows slots by name
    void takePortalAction(const QString& id, const QString& action, const QVariantList& values);
    void takeAction(uint id, const QString& action);
    void takeToken(uint id, const QString& token);

private:
    void listen(QDBusConnection& bus);
    void showByService(const QString& title, const QString& text);

    enum class By { Nobody, Portal, Service };

    DesktopBus& bus_;
    By by_ = By::Nobody;
    uint shown_ = 0;  ///< the service's number of what shows
};

}  // namespace lowtide::ui
