#pragma once

#include "ui/bridge/log_model.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/convert_model.hpp"
#include "ui/studio/desktop_bus.hpp"
#include "ui/studio/dropped_file.hpp"
#include "ui/studio/file_commands.hpp"
#include "ui/studio/gallery_controller.hpp"
#include "ui/studio/missing_files.hpp"
#include "ui/studio/notice_bar.hpp"
#include "ui/studio/panels.hpp"
#include "ui/studio/run_notices.hpp"
#include "ui/studio/sheet_controller.hpp"
#include "ui/studio/tool_bar.hpp"
#include "ui/studio/workspace.hpp"

#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QTabWidget>

namespace lowtide::ui {

class MaskController;
class Filmstrip;
class PresetsBrowser;

/// What the user looks at, in addition to the graph.
struct WindowState {
    ViewState view;
    std::set<std::string> selected;
    int tab = 0;
    QStringList files;  ///< of the viewer
    QString file;
    bool snaps = true;
    bool showsMinimap = false;
};

/// What the controller is made of besides its workspace; all outlives it.
struct MainWindowParts {
    QMainWindow& window;
    Actions& actions;
    StudioToolBar& toolBar;
    Settings& settings;
    const AppFolders& appFolders;
    QMenu& recentMenu;
    LogModel& log;
    const DesktopAddresses& desktop;
};

/// Everything that a window shows while there is a workspace: canvas, panels, and what joins them.
class MainWindowController : public QObject {
    Q_OBJECT

public:
    MainWindowController(Workspace& workspace, const MainWindowParts& parts);
    /// Takes its widgets away first: they look at the workspace.
    ~MainWindowController() override;

    [[nodiscard]] FileCommands& files() { return files_; }

    [[nodiscard]] GraphView& canvas() { return *canvas_; }

    [[nodiscard]] Inspector& inspector() { return *inspector_; }

    [[nodiscard]] NoticeBar& notices() { return *notices_; }

    [[nodiscard]] Panels& panels() { return panels_; }

    [[nodiscard]] Viewer& viewer() { return *viewer_; }

    /// nullptr: runs are not kept for good.
    [[nodiscard]] Gallery* gallery() { return gallery_; }

    /// nullptr: runs are not kept for good.
    [[nodiscard]] SheetView* sheet() { return sheet_; }

    /// Runs that waited when a studio ended may run now.
    void offerLeftOpen();

    [[nodiscard]] WindowState viewState() const;
    /// A controller that takes over from another one: shows that view, and the run at work.
    void takeUp(const WindowState& viewState);

    /// `then` is called with whether it is open; otherwise the user keeps what is open.
    void openPreset(const QString& id, const FileCommands::Then& then = {});
    /// Likewise; it begins with that image or video in place of its own. Empty: its own.
    void openPresetWith(const QString& id, const QString& image, const FileCommands::Then& then);
    /// What a user sees who starts for the first time.
    void showFirstStart();
    /// Asks where runs are at work or wait, or a model is converted, which end with the window;
    /// false: the window remains open.
    [[nodiscard]] bool mayEndRuns();
    /// Files were dropped on the window outside of the canvas.
    void takeDropped(const QStringList& files);

Q_SIGNALS:
    /// Name, path or the mark of changes are others.
    void titleChanged();
    /// The first start again, as it is in the language that was chosen there.
    void firstStartAsked();

private:
    void buildCentre();
    void buildNotices();
    void buildPanels();
    void buildRuns();
    void buildLog();
    void buildForm();
    void buildLibrary();
    void buildModels();
    void buildViewer();
    void buildGallery();
    void buildFilmstrip();
    void buildSheets();
    void varyFocused();
    void stopAfterThis();
    void useAsInput(const QString& path);
    [[nodiscard]] QMenu* presetsFor(QWidget& owner, std::function<QString()> image);
    void connectWorkspace();
    void connectCanvas();
    void connectFile();
    void connectEdit();
    void connectRun();
    void connectPrompts();
    void connectRelease();
    void connectConversion();
    void connectView();
    void on(const char* action, std::function<void()> act);

    /// A panel offers it where the module converts.
    template <class Panel>
    void offerConversion(Panel& panel) {
        if (workspace_.conversion.isPossible()) {
            panel.offerConversion();
            connect(&panel, &Panel::convertAsked, &convert_, &ConvertModel::open);
        }
    }

    /// Not while something is typed that cannot be read: the run would go with the value before it.
    void run(RunHow how, const std::set<std::string>& until = {});
    void runSeveral();
    void reportUnread();
    void reveal(const std::string& node, const std::string& item);
    void openGraphOf(quint64 run);
    void showImageOf(quint64 run);
    void openGraphOfImage(const QString& file);
    void askGraphOfImage(const QString& file,
                         const std::function<void(const std::optional<graph::Document>&)>& then);
    void openPresetLike(const QString& id,
                        const QString& image,
                        const std::optional<graph::Document>& made,
                        const FileCommands::Then& then);
    void showPreset(const QString& id, const QString& title, size_t left);
    /// What the user chose to look at; a run at work does not take its place.
    /// With the keyboard in it.
    void showViewer();
    void viewImage(const QString& file);
    void viewImage(const QImage& image, const QString& title, const QSize& size = {});
    void savePreset();
    [[nodiscard]] bool isFound(const std::string& file) const;
    [[nodiscard]] std::vector<std::string> foldersOf(const std::string& file) const;
    [[nodiscard]] std::string knownHashOf(const std::string& file) const;
    [[nodiscard]] WantedModel wantedByHash(const std::string& file) const;
    void useModel(ModelKind kind, const QString& value, QPointF at);
    void useDroppedModel(const QString& path, QPointF at);
    void showUnusable(const ModelFile& model);
    [[nodiscard]] QPointF middleOfCanvas() const;
    void runToSelected();
    void fillRecent();
    void showMemoryLine();

    Workspace& workspace_;
    MainWindowParts parts_;
    Panels panels_;
    FileCommands files_;
    DroppedFile dropped_;
    LocateFile locate_;
    ConvertModel convert_;
    QTabWidget* centre_ = nullptr;
    NoticeBar* notices_ = nullptr;
    GraphView* canvas_ = nullptr;
    Inspector* inspector_ = nullptr;
    Viewer* viewer_ = nullptr;
    Gallery* gallery_ = nullptr;
    GalleryController* earlier_ = nullptr;
    MaskController* masks_ = nullptr;
    Filmstrip* strip_ = nullptr;
    SheetView* sheet_ = nullptr;
    SheetController* sheets_ = nullptr;
    PresetsBrowser* presets_ = nullptr;
    QLabel* memoryLine_ = nullptr;
    RunNotices* runNotices_ = nullptr;
    quint64 unread_ = 0;              ///< the notice of reportUnread()
    bool isReleaseReported_ = false;  ///< the release at work was asked for in the menu
};

/// "CPU holds 21.5 MiB, 18.9 GiB are free": one part for each device that holds something.
/// `rehearsed`: memory of the rehearsed card; 0: none, or not stated.
[[nodiscard]] QString memoryLine(const MemoryNow& now, Bytes rehearsed = 0);

}  // namespace lowtide::ui
