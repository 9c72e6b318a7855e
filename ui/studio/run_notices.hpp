#pragma once

#include "ui/bridge/run_control.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/studio/desktop_bus.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/viewer_controller.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QVariantList>
#include <QWidget>

#include <functional>
#include <vector>

namespace lowtide::ui {

/// Reports above the canvas how a run ended, its warnings, and what can be done next.
class RunNotices : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    RunNotices(MainWindowWidgets& widgets, ViewerController& images);

    /// What it reported last no longer holds.
    void takeBack();

private:
    void reportFailure(quint64 id);
    void reportImages(const QueuedRun& run);
    void replace();
    void showMessage(NoticeKind kind,
                     const QString& text,
                     const QString& button,
                     std::function<void()> act);
    void showWarnings(const Issues& issues);

    MainWindowWidgets& widgets_;
    ViewerController& images_;
    RunControl& run_;
    const RunQueue& queue_;
    std::vector<quint64> shown_;  ///< of the run that it reported last
    quint64 lastAsked_ = 0;       ///< the newest run when it did
};

/// Has assistive technology announce how a run ended, and that the graph has new issues.
class RunSpeaker : public QObject {
    Q_OBJECT

public:
    /// All must outlive it; sentences are announced on behalf of the window.
    RunSpeaker(QWidget& window, const RunQueue& queue, QObject* parent = nullptr);

public Q_SLOTS:
    /// The issues that the user sees now.
    void announceIssues(int errors, int warnings);

private:
    void announceEnd(const QueuedRun& run);

    QWidget& window_;
    int errors_ = 0;
    int warnings_ = 0;
};

/// "The run “lighthouse” finished in 12.4 s. Saved a.png." for one that has ended.
[[nodiscard]] QString endSentence(const QueuedRun& run);

/// Hears Esc pressed twice within a moment, anywhere in a window, where nobody else had a use for
/// it: one that closes a list, a field or a dialog does not count.
class EscapeTwice : public QObject {
    Q_OBJECT

public:
    explicit EscapeTwice(QObject* parent = nullptr);

Q_SIGNALS:
    void pressed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void count();

    QElapsedTimer since_;
};

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

    /// Whom to ask for it, and how what was answered is undone.
    struct Way {
        DesktopBus* bus;
        QDBusMessage call;
        std::function<Undo(const QVariant& answer)> undoOf;
    };

    /// Asks the first; the next one where nobody there answers.
    void ask(int number, std::vector<Way> ways);
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
