#include "ui/studio/main_window_widgets.hpp"

#include "ui/canvas/viewport.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/theme/window_parts.hpp"

#include <QMenuBar>
#include <QStackedWidget>
#include <QToolButton>

#include <utility>

namespace lowtide::ui {

namespace {

GraphView* addCanvas(Workspace& workspace, QTabWidget& centre) {
    auto* graph = new QWidget;
    auto* canvas = new GraphView(workspace.model, workspace.statuses, &workspace.offered, graph);
    canvas->setDefaults(&workspace.defaults);
    columnIn(graph, 0, {canvas});
    centre.addTab(graph, MainWindowWidgets::tr("Graph"));
    return canvas;
}

}  // namespace

MainWindowWidgets::MainWindowWidgets(const MainWindowParts& parts)
    : MainWindowParts(parts),
      panels(window),
      documents(*new DocumentTabs(workspace.file, workspace.model)),
      documentRow(*new QWidget(&window)),
      centre(*new QTabWidget(&window)),
      canvas(*addCanvas(workspace, centre)),
      notices(*new NoticeBar(*centre.findChild<QStackedWidget*>(), &centre)),
      inspector(*new Inspector(
          workspace.model, workspace.statuses, workspace.planning, &workspace.offered)),
      form(*new GenerateForm(workspace.model, &workspace.offered)),
      memory(*new MemoryPanel({.model = workspace.model,
                               .planning = workspace.planning,
                               .queue = workspace.queue,
                               .feed = workspace.memory,
                               .maintenance = workspace.maintenance})),
      queue(*new QueuePanel(workspace.queue)),
      issues(*new IssuesPanel(workspace.model, workspace.planning, workspace.queue)),
      logPanel(*new LogPanel(log)),
      presets(*new PresetsBrowser(workspace.presets)),
      models(*new ModelsPanel(workspace.settings(),
                              workspace.models,
                              {.shelf = &workspace.shelf,
                               .images = &workspace.modelImages,
                               .plans = &workspace.modelPlans})),
      viewer(*new Viewer) {
    centre.setObjectName(QStringLiteral("centre"));
    centre.setDocumentMode(true);
    auto* middle = new QWidget(&window);
    QToolButton* another = makeIconButton("plus", tr("New graph"), "newGraph", &documentRow);
    connect(another, &QToolButton::clicked, &actions.at("file.new"), &QAction::trigger);
    rowIn(&documentRow, 0, {{&documents, 1}, another});
    columnIn(middle, 0, {&documentRow, {&centre, 1}});
    window.setCentralWidget(middle);
    addPanels();
    connectPanels();
    connectDocuments();
    connectNotices();
    addTabs();
    connectCanvas(actions, canvas);
    QMenu* menu = menuAt(*window.menuBar(), QStringLiteral("View/Panels"));
    menu->addSeparator();
    menu->addMenu(&panels.menu());
}

void MainWindowWidgets::addPanels() {
    inspector.setHelpFolder(appFolders.resources + QStringLiteral("/help"));
    panels.add("inspector", tr("Inspector"), &inspector, Qt::RightDockWidgetArea);
    panels.add("generate", tr("Generate"), &form, Qt::RightDockWidgetArea);
    panels.add("queue", tr("Queue"), &queue, Qt::BottomDockWidgetArea);
    panels.add("memory", tr("Memory"), &memory, Qt::BottomDockWidgetArea);
    panels.add("issues", tr("Issues"), &issues, Qt::BottomDockWidgetArea);
    panels.add("log", tr("Log"), &logPanel, Qt::BottomDockWidgetArea);
    panels.add("presets", tr("Presets"), &presets, Qt::LeftDockWidgetArea);
    panels.add("models", tr("Models"), &models, Qt::LeftDockWidgetArea);
}

void MainWindowWidgets::addTabs() {
    // Notices lie over every tab: at the top of the canvas, which has nothing there, and at the
    // bottom of the others, whose buttons are at their tops.
    connect(&centre, &QTabWidget::currentChanged, &notices, [this](int tab) {
        notices.setAtBottom(tab != 0);
    });
    connect(&centre, &QTabWidget::currentChanged, this, [this](int tab) {
        for (const char* zoom :
             {"view.zoom_in", "view.zoom_out", "view.zoom_actual", "view.fit_all"}) {
            actions.at(zoom).setEnabled(tab == 0);  // others have their own
        }
    });
    viewer.setCatalog(&workspace.model.catalog());
    centre.addTab(&viewer, tr("Viewer"));
    if (!workspace.library) {
        return;
    }
    gallery = new Gallery(*workspace.library, &centre);
    strip = new Filmstrip(*gallery, &viewer);
    viewer.addBelow(strip);
    gallery->showAlsoIn(strip);
    centre.addTab(gallery, tr("Gallery"));
    sheet = new SheetView(&centre);
    centre.addTab(sheet, tr("Sheet"));
    inspector.offerSheets();
    canvas.offerSheets();
}

void MainWindowWidgets::connectPanels() {
    for (const char* name :
         {"presets", "models", "inspector", "generate", "memory", "queue", "issues", "log"}) {
        actions.on(std::string("view.") + name, this, [this, name] { panels.show(name); });
    }
    actions.on("view.next_panel", this, [this] { panels.moveFocus(1); });
    actions.on("view.previous_panel", this, [this] { panels.moveFocus(-1); });
    actions.on("view.reset", &panels, &Panels::reset);
    actions.on("view.graph", this, [this] {
        showGraph();
        canvas.setFocus(Qt::ShortcutFocusReason);
    });
    actions.on("help.node", this, [this] {
        panels.show("inspector");
        inspector.showHelp();
    });
    connect(&canvas, &GraphView::selectionChanged, &inspector, [this] {
        inspector.showNodes(canvas.selectedNodes());
    });
    Settings& settings = workspace.settings();
    inspector.setOpensMemory(settings.preferences().opensNodeMemory);
    connect(&inspector, &Inspector::opensMemoryChanged, this, [&settings](bool isOpen) {
        settings.change([&](Preferences& preferences) { preferences.opensNodeMemory = isOpen; });
    });
    connect(&workspace.memory, &MemoryFeed::changed, &inspector, [this](const MemoryNow& now) {
        inspector.setDevices(deviceNames(now.devices));
    });
    connect(&memory, &MemoryPanel::nodeActivated, this, [this](const std::string& node) {
        reveal(node, {});
    });
    issues.setRunControl(workspace.run);
    connect(&issues, &IssuesPanel::jumpRequested, this, &MainWindowWidgets::reveal);
    connect(&issues, &IssuesPanel::countsChanged, this, [this](int errors, int warnings) {
        panels.setTitle(
            "issues",
            errors + warnings > 0 ? tr("Issues (%1)").arg(errors + warnings) : tr("Issues"));
    });
}

void MainWindowWidgets::showDocumentRow() {
    const bool isAlone = actions.at("view.full_screen").isChecked();
    documentRow.setVisible(workspace.file.documents().size() > 1 && !isAlone);
}

/// Each graph comes back as it was left.
void MainWindowWidgets::connectDocuments() {
    connect(&workspace.file, &DocumentFile::listChanged, this, &MainWindowWidgets::showDocumentRow);
    showDocumentRow();
    connect(&workspace.model, &GraphModel::leaving, &canvas, [this] {
        EditSession::commit();
        if (!isSightDue_) {
            graphs_[workspace.model.shown()] = sight();
        }
    });
    connect(&workspace.model, &GraphModel::closed, &canvas, [this](DocumentId id) {
        graphs_.erase(id);
    });
    connect(&workspace.model, &GraphModel::changed, &canvas, [this](const Delta& delta) {
        if (delta.reset) {  // sizes hold once everything has been laid out
            isSightDue_ = true;
            QMetaObject::invokeMethod(
                &canvas, [this] { showSight(); }, Qt::QueuedConnection);
        }
    });
    connect(&documents, &QTabBar::tabBarClicked, this, [this](int tab) {
        if (tab >= 0) {
            showGraph();
        }
    });
}

/// Those about a graph come and go with it. Over the canvas they lie at its top. A graph at which
/// nobody has worked yet is fitted again for what is reported of its opening; later news move
/// nothing under the pointer.
void MainWindowWidgets::connectNotices() {
    GraphModel& model = workspace.model;
    notices.setDocument(model.shown());
    connect(&model, &GraphModel::changed, &notices, [this, &model](const Delta& delta) {
        if (delta.reset) {
            notices.setDocument(model.shown());
        }
    });
    connect(&model, &GraphModel::closed, &notices, &NoticeBar::forget);
    connect(&notices, &NoticeBar::heightChanged, &canvas, [this, before = 0](int pixels) mutable {
        canvas.navigation().setCovered(pixels);
        if (pixels > std::exchange(before, pixels) && workspace.model.undoStack().count() == 0) {
            canvas.navigation().fitAgain();
        }
    });
}

GraphSight MainWindowWidgets::sight() const {
    return {.view = canvas.navigation().state(), .selected = canvas.selectedNodes()};
}

void MainWindowWidgets::showSight() {
    isSightDue_ = false;
    const auto known = graphs_.find(workspace.model.shown());
    if (known == graphs_.end()) {
        canvas.invoke("view.fit_all");
        return;
    }
    canvas.navigation().show(known->second.view);
    canvas.select(known->second.selected);
}

void MainWindowWidgets::reveal(const std::string& node, const std::string& item) {
    showGraph();
    canvas.select({node});
    canvas.reveal(node, item);
    panels.show("inspector");
    inspector.showValues(item);
}

DropSpot MainWindowWidgets::middleSpot() const {
    const QPointF middle = canvas.mapToScene(canvas.viewport()->rect().center());
    return {.at = {middle.x(), middle.y()}};
}

DropSpot MainWindowWidgets::spotIn(DocumentId document, const DropSpot& spot) const {
    return workspace.model.shown() == document ? spot : middleSpot();
}

WindowState MainWindowWidgets::viewState() const {
    std::map<DocumentId, GraphSight> graphs = graphs_;
    graphs[workspace.model.shown()] = sight();
    return {.graphs = std::move(graphs),
            .tab = centre.currentIndex(),
            .files = viewer.files(),
            .file = viewer.file(),
            .snaps = actions.at("view.snap").isChecked(),
            .showsMinimap = actions.at("view.minimap").isChecked(),
            .presetSearch = presets.search(),
            .preset = presets.chosen(),
            .times = toolBar.times()};
}

void MainWindowWidgets::showState(const WindowState& viewState) {
    actions.at("view.snap").setChecked(viewState.snaps);
    toolBar.setTimes(viewState.times);
    if (viewState.showsMinimap) {
        canvas.navigation().minimap().ask(true);
    }
    graphs_ = viewState.graphs;
    canvas.select(graphs_[workspace.model.shown()].selected);
    // Sizes hold once everything has been laid out.
    QMetaObject::invokeMethod(
        &canvas, [this] { showSight(); }, Qt::QueuedConnection);
    presets.setSearch(viewState.presetSearch);
    presets.choose(viewState.preset);
    centre.setCurrentIndex(viewState.tab);
    if (!viewState.file.isEmpty()) {
        viewer.showFiles(viewState.files, viewState.file);
    }
}

}  // namespace lowtide::ui
