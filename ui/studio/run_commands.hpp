#pragma once

#include "ui/studio/main_window_widgets.hpp"
#include "ui/studio/run_notices.hpp"
#include "ui/studio/viewer_controller.hpp"

#include <QObject>

#include <set>
#include <string>

namespace lowtide::ui {

/// Begins runs and ends them, and releases what they keep on devices, as the user asks for it.
class RunCommands : public QObject {
    Q_OBJECT

public:
    /// Both must outlive it.
    RunCommands(MainWindowWidgets& widgets, ViewerController& images);

    /// Takes what is typed into the graph; false: it cannot be read, which is reported, and a run
    /// would go with the value before it.
    [[nodiscard]] bool commit();
    /// Asks where runs are at work or wait, or a model is converted, which end with the window;
    /// false: the window remains open.
    [[nodiscard]] bool mayEnd();

private:
    void connectActions();
    void connectForEver();
    void connectPanels();
    void connectReports(ViewerController& images);
    void connectRelease();
    void run(RunHow how, const std::set<std::string>& until = {});
    void runToSelected();
    void runSeveral();
    void stopAfterThis();
    void reportRefused(const Issues& issues);
    void endRelease(const MaintenanceTask& task, const QString& problem);

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    RunNotices notices_;
    quint64 unread_ = 0;              ///< the notice of commit()
    bool isReleaseReported_ = false;  ///< the release at work was asked for in the menu
};

}  // namespace lowtide::ui
