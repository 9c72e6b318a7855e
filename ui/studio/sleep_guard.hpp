#pragma once

#include "ui/studio/desktop_bus.hpp"

namespace lowtide::ui {

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
    bool isRefusalTold_ = false;
    int number_ = 0;  ///< of the last hold() or release()
    Undo undo_;
};

}  // namespace lowtide::ui
