#pragma once

#include "ui/bridge/run_queue.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/studio/desktop_notice.hpp"
#include "ui/studio/sleep_guard.hpp"

#include <QElapsedTimer>
#include <QWidget>

namespace lowtide::ui {

/// Tells the desktop of runs: a notification when a long one ends and nobody looks, and no sleep
/// while runs are at work or wait. What of it, the settings say.
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
    /// The person pressed the notification; the window is in front.
    void runAsked(quint64 run);

private:
    void tellEnd(quint64 id);
    void adjustSleep();
    void bringWindow();

    const RunQueue& queue_;
    const Settings& settings_;
    QWidget& window_;
    DesktopBus session_;
    DesktopBus system_;
    DesktopNotice notice_;
    SleepGuard sleep_;
    QElapsedTimer since_;  ///< the run at work began
    quint64 told_ = 0;     ///< the run of the newest notification
};

}  // namespace lowtide::ui
