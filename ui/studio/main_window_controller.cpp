#include "ui/studio/main_window_controller.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/document/node_title.hpp"
#include "ui/panels/generate_form.hpp"
#include "ui/panels/issues_panel.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/panels/queue_panel.hpp"
#include "ui/prompts/resolved_graph.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QFile>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

const auto kNoJournal = QStringLiteral("no journal");
const auto kSlowDisk = QStringLiteral("slow disk");

bool isAnyThere(const QStringList& files) {
    return std::any_of(
        files.begin(), files.end(), [](const auto& file) { return QFile::exists(file); });
}

/// A card that is rehearsed on is ours alone, as large as it is stated or was opened.
Bytes freeOn(const Json& devices, const std::string& id, Bytes rehearsed, const Json& figures) {
    if (id == "fake") {
        const Bytes size = rehearsed > 0 ? rehearsed : bytesIn(figures, "capacity");
        if (size > 0) {
            return std::max<Bytes>(0, size - bytesIn(figures, "total"));
        }
    }
    for (const Json& device : devices.is_array() ? devices : Json::array()) {
        if (device.value("id", std::string()) == id) {
            return device.value("free", Bytes{0});
        }
    }
    return 0;
}

}  // namespace

QString memoryLine(const MemoryNow& now, Bytes rehearsed) {
    QStringList parts;
    if (now.ledger.is_object()) {
        for (const auto& [device, figures] : now.ledger.items()) {
            const Bytes total = bytesIn(figures, "total");
            const Bytes free = freeOn(now.devices, device, rehearsed, figures);
            if (total > 0) {
                const QString name = deviceText(device);
                parts
                    << (free > 0
                            ? MainWindowController::tr("%1 holds %2, %3 are free")
                                  .arg(name, bytesText(total), bytesText(free))
                            : MainWindowController::tr("%1 holds %2").arg(name, bytesText(total)));
            }
        }
    }
    return parts.isEmpty() ? MainWindowController::tr("Nothing is held on a device")
                           : parts.join(" · ");
}

MainWindowController::MainWindowController(Workspace& workspace, const MainWindowParts& parts)
    : workspace_(workspace),
      parts_(parts),
      panels_(parts.window),
      files_(workspace.file, workspace.model, parts.appFolders, &parts.window),
      dropped_(workspace.model, files_, parts.settings, &parts.window),
      locate_(workspace.model,
              {.isFound = [this](const std::string& file) { return isFound(file); },
               .known = [this](const std::string& file) { return foldersOf(file); },
               .byHash = [this](const std::string& file) { return wantedByHash(file); },
               .shelf = workspace.shelf},
              &parts.window),
      convert_(workspace, &parts.window) {
    buildCentre();
    buildPanels();
    connectWorkspace();
    connectCanvas();
    connectFile();
    connectEdit();
    connectRun();
    connectPrompts();
    connectConversion();
    connectView();
    fillRecent();
    showMemoryLine();
}

MainWindowController::~MainWindowController() {
    workspace_.modelImages.setEarlier({});
    delete parts_.window.takeCentralWidget();
    qDeleteAll(parts_.window.findChildren<QDockWidget*>());
    delete memoryLine_;
}

WindowState MainWindowController::viewState() const {
    return {.view = canvas_->viewState(),
            .selected = canvas_->selectedNodes(),
            .tab = centre_->currentIndex(),
            .files = viewer_->files(),
            .file = viewer_->file(),
            .snaps = parts_.actions.at("view.snap").isChecked(),
            .showsMinimap = parts_.actions.at("view.minimap").isChecked()};
}

void MainWindowController::takeUp(const WindowState& viewState) {
    parts_.actions.at("view.snap").setChecked(viewState.snaps);
    if (viewState.showsMinimap) {
        canvas_->setMinimapShown(true);
    }
    // Sizes hold once everything has been laid out.
    QMetaObject::invokeMethod(
        canvas_, [this, view = viewState.view] { canvas_->showState(view); }, Qt::QueuedConnection);
    canvas_->select(viewState.selected);
    centre_->setCurrentIndex(viewState.tab);
    if (!viewState.file.isEmpty()) {
        viewer_->showFiles(viewState.files, viewState.file);
    }
    parts_.toolBar.setBusy(workspace_.run.isBusy());
    parts_.toolBar.setRun(workspace_.queue.running());
    parts_.toolBar.setPlanned(workspace_.planning.planned(), nodeNamesIn(workspace_.model));
}

void MainWindowController::buildCentre() {
    auto* graph = new QWidget;
    canvas_ = new GraphView(workspace_.model, workspace_.statuses, &workspace_.offered, graph);
    canvas_->setDefaults(&workspace_.defaults);
    auto* column = new QVBoxLayout(graph);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(canvas_);
    centre_ = new QTabWidget(&parts_.window);
    centre_->setObjectName(QStringLiteral("centre"));
    centre_->setDocumentMode(true);
    centre_->addTab(graph, tr("Graph"));
    parts_.window.setCentralWidget(centre_);
    buildNotices();
    memoryLine_ = new QLabel(parts_.window.statusBar());
    memoryLine_->setObjectName(QStringLiteral("memoryLine"));
    memoryLine_->setContentsMargins(0, 0, Theme::space(3), 0);
    parts_.window.statusBar()->addPermanentWidget(memoryLine_);
}

/// Over every tab: at the top of the canvas, which has nothing there, and at the bottom of the
/// others, whose buttons are at their tops.
void MainWindowController::buildNotices() {
    notices_ = new NoticeBar(*centre_->findChild<QStackedWidget*>(), centre_);
    connect(centre_, &QTabWidget::currentChanged, notices_, [this](int tab) {
        notices_->setAtBottom(tab != 0);
    });
}

void MainWindowController::buildPanels() {
    inspector_ = new Inspector(
        workspace_.model, workspace_.statuses, workspace_.planning, &workspace_.offered);
    inspector_->setHelpFolder(parts_.appFolders.resources + QStringLiteral("/help"));
    panels_.add("inspector", tr("Inspector"), inspector_, Qt::RightDockWidgetArea);
    buildForm();
    buildRuns();
    buildLog();
    buildLibrary();
    buildViewer();
    buildGallery();
    buildSheets();
    QMenu* menu = menuAt(*parts_.window.menuBar(), QStringLiteral("View/Panels"));
    menu->addSeparator();
    menu->addMenu(&panels_.menu());
}

void MainWindowController::buildForm() {
    auto* form = new GenerateForm(workspace_.model, &workspace_.offered);
    panels_.add("generate", tr("Generate"), form, Qt::RightDockWidgetArea);
    connect(form, &GenerateForm::runAsked, this, [this] { run(RunHow::Last); });
    connect(
        form, &GenerateForm::cancelAsked, this, [this] { workspace_.run.cancel(CancelMode::Now); });
    connect(&workspace_.planning, &Planning::answered, form, &GenerateForm::setPlanned);
    connect(&workspace_.run, &RunControl::busyChanged, form, &GenerateForm::setRunning);
    form->setRunning(workspace_.run.isBusy());
}

void MainWindowController::buildRuns() {
    auto* memory = new MemoryPanel({.model = workspace_.model,
                                    .planning = workspace_.planning,
                                    .queue = workspace_.queue,
                                    .feed = workspace_.memory,
                                    .maintenance = workspace_.maintenance});
    panels_.add("memory", tr("Memory"), memory, Qt::BottomDockWidgetArea);
    offerConversion(*memory);
    connect(memory, &MemoryPanel::nodeActivated, this, [this](const std::string& node) {
        reveal(node, {});
    });
    auto* queue = new QueuePanel(workspace_.queue);
    panels_.add("queue", tr("Queue"), queue, Qt::BottomDockWidgetArea);
    connect(queue, &QueuePanel::graphRequested, this, &MainWindowController::openGraphOf);
    connect(queue, &QueuePanel::imageRequested, this, &MainWindowController::showImageOf);
    connect(queue, &QueuePanel::stopAfterThisAsked, this, &MainWindowController::stopAfterThis);
    auto* issues = new IssuesPanel(workspace_.model, workspace_.planning, workspace_.queue);
    panels_.add("issues", tr("Issues"), issues, Qt::BottomDockWidgetArea);
    offerConversion(*issues);
    connect(issues, &IssuesPanel::jumpRequested, this, &MainWindowController::reveal);
    connect(
        issues,
        &IssuesPanel::locateRequested,
        this,
        [this](const std::string& node, const std::string& param) { locate_.locate(node, param); });
    auto* speaker = new RunSpeaker(parts_.window, workspace_.queue, this);
    connect(issues, &IssuesPanel::countsChanged, speaker, &RunSpeaker::announceIssues);
    connect(issues, &IssuesPanel::countsChanged, this, [this](int errors, int warnings) {
        panels_.setTitle(
            "issues",
            errors + warnings > 0 ? tr("Issues (%1)").arg(errors + warnings) : tr("Issues"));
    });
}

void MainWindowController::connectWorkspace() {
    connect(
        &workspace_.planning, &Planning::answered, &parts_.toolBar, [this](const Planned& planned) {
            parts_.toolBar.setPlanned(planned, nodeNamesIn(workspace_.model));
        });
    connect(&workspace_.memory, &MemoryFeed::changed, this, [this](const MemoryNow& now) {
        inspector_->setDevices(deviceNames(now.devices));
        showMemoryLine();
    });
    connect(&workspace_.run, &RunControl::busyChanged, &parts_.toolBar, &StudioToolBar::setBusy);
    const auto showRun = [this] { parts_.toolBar.setRun(workspace_.queue.running()); };
    connect(&workspace_.queue, &RunQueue::runChanged, this, showRun);
    connect(&workspace_.queue, &RunQueue::ended, this, showRun);
    connect(&workspace_.file, &DocumentFile::moved, this, &MainWindowController::titleChanged);
    connect(
        &workspace_.model, &GraphModel::modifiedChanged, this, &MainWindowController::titleChanged);
    connect(&workspace_.model, &GraphModel::changed, canvas_, [this](const Delta& delta) {
        if (delta.reset) {  // another graph lies elsewhere
            QMetaObject::invokeMethod(canvas_, &GraphView::zoomToAll, Qt::QueuedConnection);
        }
    });
    connect(&workspace_.file,
            &DocumentFile::waits,
            notices_,
            [this](const QString& sentence, bool canStop) {
                if (sentence.isEmpty()) {
                    notices_->end(kSlowDisk);
                    return;
                }
                notices_->stand(kSlowDisk,
                                NoticeKind::Info,
                                sentence,
                                canStop ? tr("Do not wait") : QString(),
                                [this] { workspace_.file.stopReading(); });
            });
    const auto reportJournal = [this](const QString& reason) {
        notices_->stand(kNoJournal,
                        NoticeKind::Warning,
                        tr("Unsaved changes cannot be kept for recovery: %1").arg(reason));
    };
    connect(&workspace_.file, &DocumentFile::journalFailed, this, reportJournal);
    connect(
        &workspace_.file, &DocumentFile::journalWorks, this, [this] { notices_->end(kNoJournal); });
    if (!workspace_.file.journalProblem().isEmpty()) {  // of the controller before this one
        reportJournal(workspace_.file.journalProblem());
    }
    workspace_.memory.askNow();
}

void MainWindowController::connectCanvas() {
    ui::connectCanvas(parts_.actions, *canvas_);
    connect(canvas_, &GraphView::selectionChanged, this, [this] {
        const std::set<std::string> nodes = canvas_->selectedNodes();
        inspector_->showNodes(nodes);
        parts_.actions.at("run.here").setEnabled(!nodes.empty());
    });
    connect(canvas_, &GraphView::zoomChanged, &parts_.toolBar, &StudioToolBar::setZoom);
    connect(canvas_, &GraphView::runToRequested, this, [this](const std::string& node) {
        run(RunHow::Last, {node});
    });
    connect(canvas_, &GraphView::fileDropped, &dropped_, &DroppedFile::take);
    connect(&dropped_, &DroppedFile::modelDropped, this, &MainWindowController::useDroppedModel);
    auto* pasted = new PastedImage(parts_.appFolders.pasted, this);
    connect(canvas_, &GraphView::imagePasted, pasted, &PastedImage::keep);
    connect(pasted, &PastedImage::kept, &dropped_, &DroppedFile::useAsInput);
    const auto refuse = [this](const QString& sentence) {
        notices_->show(NoticeKind::Warning, sentence);
    };
    connect(pasted, &PastedImage::refused, this, refuse);
    connect(canvas_, &GraphView::pasteRefused, this, refuse);
    parts_.actions.at("run.here").setEnabled(false);
}

void MainWindowController::takeDropped(const QStringList& files) {
    for (const QString& file : files) {
        dropped_.take(file, middleOfCanvas());
    }
}

QPointF MainWindowController::middleOfCanvas() const {
    return canvas_->mapToScene(canvas_->viewport()->rect().center());
}

void MainWindowController::reveal(const std::string& node, const std::string& item) {
    centre_->setCurrentIndex(0);
    canvas_->select({node});
    canvas_->reveal(node, item);
    panels_.show("inspector");
    inspector_->showValues(item);
}

void MainWindowController::openGraphOf(quint64 run) {
    const QueuedRun* queued = workspace_.queue.find(run);
    if (!queued) {
        return;
    }
    try {
        OpenedGraph opened{
            .document = graph::parseDocument(queued->graph),
            .name = queued->title,
            .folder = QString::fromStdString(textIn(queued->options, "graphFolder"))};
        keepPrompts(opened.document, workspace_.model.catalog());
        const QStringList files = queued->files;
        if (files.isEmpty()) {
            opened.isKept = false;
            files_.openDocument(std::move(opened));
            return;
        }
        workspace_.file.look(
            this,
            files.back(),
            [files] { return isAnyThere(files); },
            [this, opened = std::move(opened)](bool hasFile) mutable {
                opened.isKept = hasFile;
                files_.openDocument(std::move(opened));
            });
    } catch (const Error& error) {
        showError(&parts_.window, tr("The graph of this run cannot be opened"), error);
    }
}

void MainWindowController::showMemoryLine() {
    const std::string stated = textIn(workspace_.planning.options(), "device");
    memoryLine_->setText(memoryLine(
        workspace_.memory.now(),
        rehearsedBytes(stated.empty() ? workspace_.model.document().device.value_or("") : stated)));
}

}  // namespace lowtide::ui
