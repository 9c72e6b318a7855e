#pragma once

#include "ui/bridge/run_control.hpp"
#include "ui/bridge/run_queue.hpp"
#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/viewer_controller.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QWidget>

#include <string>

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
    void reportImages(quint64 id);
    void showMessage(NoticeKind kind,
                     const QString& text,
                     const QString& button,
                     std::function<void()> act);

    MainWindowWidgets& widgets_;
    ViewerController& images_;
    RunControl& run_;
    const RunQueue& queue_;
    quint64 notice_ = 0;     ///< what it showed last
    quint64 lastAsked_ = 0;  ///< the newest run when it did
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

}  // namespace lowtide::ui
