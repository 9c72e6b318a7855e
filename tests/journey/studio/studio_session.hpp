#pragma once

#include "tests/fixtures/guarded_test.hpp"
#include "ui/studio/studio_window.hpp"

#include <QApplication>

#include <functional>
#include <memory>
#include <vector>

namespace lowtide::testing {

/// Folders of a studio below one folder, with the resources of the sources.
[[nodiscard]] ui::AppFolders appFoldersIn(const QString& folder);

/// A studio with the real module in this process. The module serves one in a process: its end
/// stops the module.
class StudioSession {
public:
    /// `graph`: as on the command line; `models`: folders of models.
    explicit StudioSession(const QString& folder,
                           const QString& graph = {},
                           const QStringList& models = {});
    ~StudioSession();

    /// Waits for the engine; false: it did not come.
    [[nodiscard]] bool isReady();

    [[nodiscard]] ui::StudioWindow& window() { return *window_; }

    [[nodiscard]] ui::Workspace& workspace() { return *window_->workspace(); }

    [[nodiscard]] ui::MainWindowController& controller() { return *window_->controller(); }

    [[nodiscard]] ui::GraphModel& model() { return workspace().model; }

    /// Runs the graph as Run does and waits for its end; the run as it is then.
    [[nodiscard]] ui::QueuedRun runToEnd(const char* action = "run.start");

private:
    ui::AppFolders appFolders_;
    ui::Settings settings_;
    ui::Appearance appearance_;
    std::unique_ptr<ui::StudioWindow> window_;
};

/// An application that knows which events kept the GUI thread busy. What a helper throws in a loop
/// of Qt's (a menu, a dialog) fails the test function, and the loop ends.
class WatchedApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override;

    struct Busy {
        double cpuMilliseconds = 0;  ///< of the GUI thread
        double milliseconds = 0;     ///< with what other programs and threads took meanwhile
        QString what;
    };

    /// Begins again.
    void forget() { busy_.clear(); }

    /// The events that took the most of the thread, the worst first. An event that opens a loop (a
    /// dialog) counts without what the loop delivers.
    [[nodiscard]] const std::vector<Busy>& busiest() const { return busy_; }

private:
    bool deliver(QObject* receiver, QEvent* event);

    /// An event that is being delivered.
    struct Outer {
        int level = 0;  ///< of the loop that delivers it
        double innerCpu = 0,
               innerWall = 0;  ///< of events of loops that it has opened, milliseconds
    };

    std::vector<Busy> busy_;
    std::vector<Outer> outer_;
};

/// From here on a WatchedApplication counts again: for init().
void beginWatch();

/// Reports what kept the GUI thread busy longest; a test fails far beyond the goal: for cleanup().
void endWatch();

/// The longest time for which the GUI thread did not answer.
class Heartbeat {
public:
    Heartbeat();

    [[nodiscard]] qint64 longestMilliseconds() const { return longest_; }

private:
    QTimer timer_;
    QElapsedTimer since_;
    qint64 longest_ = 0;
};

/// Acts on the dialog that opens next, which must have that name.
void answerDialog(const char* name, std::function<void(QDialog&)> act);

}  // namespace lowtide::testing

/// A test of a way through the studio; what a helper throws fails one function of it.
#define LOWTIDE_JOURNEY(Class) \
    LOWTIDE_TEST_UNDER(lowtide::testing::WatchedApplication, lowtide::testing::GuardedTest<Class>)
