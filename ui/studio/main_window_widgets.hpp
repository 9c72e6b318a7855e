#pragma once

#include "ui/bridge/log_model.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/panels/filmstrip.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/generate_form.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/issues_panel.hpp"
#include "ui/panels/log_panel.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/panels/models_panel.hpp"
#include "ui/panels/presets_browser.hpp"
#include "ui/panels/queue_panel.hpp"
#include "ui/panels/sheet_view.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/studio/actions.hpp"
#include "ui/studio/desktop_bus.hpp"
#include "ui/studio/document_tabs.hpp"
#include "ui/studio/notice_bar.hpp"
#include "ui/studio/panels.hpp"
#include "ui/studio/tool_bar.hpp"
#include "ui/studio/workspace.hpp"

#include <QMainWindow>
#include <QMenu>
#include <QTabWidget>

#include <map>
#include <set>
#include <string>

namespace lowtide::ui {

/// What the user looks at in a graph.
struct GraphSight {
    ViewState view;
    std::set<std::string> selected;
};

/// What the user looks at, in addition to the graphs.
struct WindowState {
    std::map<DocumentId, GraphSight> graphs;  ///< of each open one that was shown
    int tab = 0;
    QStringList files;  ///< of the viewer
    QString file;
    bool snaps = true;
    bool showsMinimap = false;
    PresetsBrowser::Search presetSearch;
    QString preset;  ///< chosen among presets
    int times = 1;   ///< that Run queues the graph
};

/// What a window gives to its objects; all outlives them.
struct MainWindowParts {
    Workspace& workspace;
    QMainWindow& window;
    Actions& actions;
    StudioToolBar& toolBar;
    const AppFolders& appFolders;
    QMenu& recentMenu;
    LogModel& log;
    const DesktopAddresses& desktop;
};

/// The widgets of a window with a workspace, for the objects that act on them, and what brings
/// them into sight. Their order is that of Tab.
class MainWindowWidgets : public QObject, public MainWindowParts {
    Q_OBJECT

public:
    explicit MainWindowWidgets(const MainWindowParts& parts);

    void showGraph() { centre.setCurrentIndex(0); }

    /// Where two graphs are open, unless an image fills the screen.
    void showDocumentRow();
    /// Selects the node and, where one is named, marks the port or row.
    void reveal(const std::string& node, const std::string& item);
    /// The middle of the canvas, for what comes from elsewhere.
    [[nodiscard]] DropSpot middleSpot() const;
    /// Where the user let go, unless another graph than that one is shown by now.
    [[nodiscard]] DropSpot spotIn(DocumentId document, const DropSpot& spot) const;
    [[nodiscard]] WindowState viewState() const;
    void showState(const WindowState& viewState);

    Panels panels;
    DocumentTabs& documents;
    QWidget& documentRow;  ///< has these tabs
    QTabWidget& centre;
    GraphView& canvas;
    NoticeBar& notices;
    Inspector& inspector;
    GenerateForm& form;
    MemoryPanel& memory;
    QueuePanel& queue;
    IssuesPanel& issues;
    LogPanel& logPanel;
    PresetsBrowser& presets;
    ModelsPanel& models;
    Viewer& viewer;
    Gallery* gallery = nullptr;  ///< nullptr, as the two below: runs are not kept for good
    Filmstrip* strip = nullptr;
    SheetView* sheet = nullptr;

private:
    void addTabs();
    void addPanels();
    void connectPanels();
    void connectDocuments();
    void connectNotices();
    [[nodiscard]] GraphSight sight() const;
    void showSight();

    std::map<DocumentId, GraphSight> graphs_;  ///< of those that were shown
    bool isSightDue_ = false;                  ///< the canvas does not show its graph's yet
};

}  // namespace lowtide::ui
