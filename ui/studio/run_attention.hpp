#pragma once

#include "ui/bridge/run_queue.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/studio/desktop_bus.hpp"

#include <QElapsedTimer>
#include <QVariantList>
#include <QWidget>

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
    /// The user pressed it.
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

/// Keeps the computer from going to sleep by itself: by the desktop's portal, else by logind, else
/// by the screen saver. The screen may go dark. Where the program ends, however it does, the
/// desktop sees its connection go and sleeps again. Both buses must outlive it.
class SleepGuard : public QObject {
    Q_OBJECT

public:
    SleepGuard(DesktopBus& session, DesktopBus& system, QObject* parent = nullptr);

    /// `reason` is shown by desktops that list who keeps them awake. Does nothing while it holds.
    void hold(const QString& reason);
    void release();

private:
    using Undo = std::function<void()>;
    void askPortal(int number, const QString& reason);
    void askLogin(int number, const QString& reason);
    void askScreenSaver(int number, const QString& reason);
    void keep(int number, Undo undo);

    DesktopBus& session_;
    DesktopBus& system_;
    bool isWanted_ = false;
    bool isRefusalReported_ = false;
    int number_ = 0;  ///< of the last hold() or release()
    Undo undo_;
};

/// Notifies the desktop of runs: a notification when a long one ends and nobody looks, and no sleep
/// while runs are at work or wait. The settings choose among these.
class RunAttention : public QObject {
    Q_OBJECT

public:
    /// All must outlive it.
    RunAttention(const RunQueue& queue,
                 const Settings& settings,
                 const DesktopAddresses& desktop,
                 QWidget& window,
                 QObject* parent = nullptr);
    ~RunAttention() override;

Q_SIGNALS:
    /// The user pressed the notification; the window is in front.
    void runAsked(quint64 run);

private:
    void reportEnd(quint64 id);
    void adjustSleep();
    void bringWindow();

    const RunQueue& queue_;
    const Settings& settings_;
    QWidget& window_;
    DesktopBus session_;
    DesktopBus system_;
    DesktopNotice notice_;
    SleepGuard sleep_;
    QElapsedTimer since_;      ///< the run at work began
    quint64 notifiedRun_ = 0;  ///< the run of the newest notification
};

}  // namespace lowtide::ui
