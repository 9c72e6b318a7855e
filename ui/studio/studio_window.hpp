#pragma once

#include "ui/bridge/log_model.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/appearance.hpp"
#include "ui/studio/desktop_bus.hpp"
#include "ui/studio/engine_start.hpp"
#include "ui/studio/language_switch.hpp"
#include "ui/studio/main_window_controller.hpp"
#include "ui/studio/workspace.hpp"

#include <QMainWindow>
#include <QPointer>

#include <memory>

namespace lowtide::ui {

class GuideWindow;

/// What a window is made from.
struct StudioSetup {
    OpenModule open;
    AppFolders appFolders;
    StudioArguments arguments;
    DesktopAddresses desktop{};  ///< none: nothing is sent to a desktop
};

/// The studio's window: there at once, with an engine a moment later.
class StudioWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `settings` and `appearance` must outlive it.
    StudioWindow(StudioSetup setup, Settings& settings, Appearance& appearance);
    ~StudioWindow() override;

    [[nodiscard]] Actions& actions() { return actions_; }

    /// nullptr once there is an engine.
    [[nodiscard]] StartPage* startPage() { return startPage_; }

    /// nullptr until there is an engine.
    [[nodiscard]] Workspace* workspace() { return workspace_.get(); }

    [[nodiscard]] MainWindowController* controller() { return controller_.get(); }

    [[nodiscard]] const LogModel& log() const { return log_; }

Q_SIGNALS:
    /// The engine runs and a graph is open.
    void ready();

protected:
    /// Tab goes past docks behind tabs, which lie outside the window and count as visible.
    bool focusNextPrevChild(bool isNext) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void buildFrame();
    void buildBars();
    void speakAgain();
    void makeController();
    void showAbsence();
    void showUnkeptSettings();
    void connectActions();
    void setWorking(bool isWorking);
    void attach(Plugin& plugin);
    void attachWithout();
    void openFirst();
    void openAsked();
    [[nodiscard]] bool askToClose();
    void showTitle();
    void showAbout();
    void showGuide();
    void showReport();
    void reportFailure(const QString& reason);
    void restoreLayout();

    StudioSetup setup_;
    Settings& settings_;
    Appearance& appearance_;
    LanguageSwitch language_;
    Actions actions_;
    LogModel log_;
    EngineStart start_;
    StudioToolBar* toolBar_ = nullptr;
    StartPage* startPage_ = nullptr;
    QMenu* recentMenu_ = nullptr;
    QPointer<GuideWindow> guide_;  ///< nullptr: it is closed
    Plugin* module_ = nullptr;
    bool isFirstStartDue_ = false;  ///< its language was chosen, and it begins again in that
    bool isAsking_ = false;         ///< within askToClose()
    bool mayClose_ = false;         ///< nothing is to be asked any more
    std::unique_ptr<AbsentPlugin> absent_;
    std::unique_ptr<Workspace> workspace_;
    std::unique_ptr<MainWindowController> controller_;
};

}  // namespace lowtide::ui
