#include "ui/studio/studio_window.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "ui/access/spoken.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/failures.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/queue_words.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/studio/guide_window.hpp"
#include "ui/studio/keys_sheet.hpp"
#include "ui/studio/report_dialog.hpp"
#include "ui/theme/studio_style.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr QSize kFirstSize(1440, 900);
const auto kSettingsNotKept = QStringLiteral("settings not kept");
/// What can be done without an engine.
constexpr const char* kAlways[] = {"file.quit",
                                   "edit.keys",
                                   "view.light",
                                   "view.dark",
                                   "view.light_contrast",
                                   "view.dark_contrast",
                                   "view.system",
                                   "help.guide",
                                   "help.report",
                                   "help.about",
                                   "language.system",
                                   "language.en",
                                   "language.zh_CN"};

bool isAlways(const ActionDesc& desc) {
    return std::ranges::any_of(kAlways,
                               [&](const char* id) { return std::string_view(desc.id) == id; });
}

}  // namespace

StudioWindow::StudioWindow(StudioSetup setup, Settings& settings, Appearance& appearance)
    : setup_(std::move(setup)),
      settings_(settings),
      appearance_(appearance),
      language_(settings),
      actions_(this),
      start_(setup_.open) {
    installAccess();
    new FocusRing(this);
    setObjectName(QStringLiteral("studio"));
    setAcceptDrops(true);
    resize(kFirstSize);
    actions_.setChangedKeys(settings_.preferences().keys);
    buildFrame();
    connectActions();
    language_.connectActions(actions_);
    connect(&language_, &LanguageSwitch::changed, this, [this] {
        if (workspace_) {  // the controller that was asked reports on the file
            workspace_->file.whenFree(this, [this] { speakAgain(); });
        } else {
            speakAgain();
        }
    });
    setWorking(false);
    connect(&start_, &EngineStart::started, this, [this](Plugin* plugin) {
        module_ = plugin;
        log_.follow(plugin->log());
        const Json info = answerOf(std::string(plugin->info()));
        lowtide::log(Level::Info,
                     "the engine runs: version " + textIn(info, "version") + ", torch " +
                         textIn(info, "torch"));
        keepNodes(setup_.appFolders.nodes, plugin->nodes());
        attach(*plugin);
    });
    connect(
        &start_, &EngineStart::refused, this, [this](const QString& message, const QString& hint) {
            lowtide::log(Level::Error, "the engine does not run: " + message.toStdString());
            startPage_->showRefused(
                asSentence(message), asSentence(hint), !keptNodes(setup_.appFolders.nodes).empty());
        });
    connect(&Failures::instance(), &Failures::happened, this, &StudioWindow::reportFailure);
    connect(&settings_, &Settings::notKept, this, [this](const QString& reason) {
        lowtide::log(Level::Warning, "settings are not kept: " + reason.toStdString());
        showUnkeptSettings();
    });
    connect(&settings_, &Settings::keptAgain, this, [this] {
        if (controller_) {
            controller_->widgets().notices.end(kSettingsNotKept);
        }
    });
    showTitle();
    start_.begin();
}

StudioWindow::~StudioWindow() = default;

void StudioWindow::buildBars() {
    fillMenus(*menuBar(), actions_);
    QMenu* file = menuAt(*menuBar(), QStringLiteral("File"));
    recentMenu_ = named("recent", new QMenu(tr("Open &recent"), file));
    recentMenu_->setToolTipsVisible(true);
    file->insertMenu(&actions_.at("file.save"), recentMenu_);
    toolBar_ = new StudioToolBar(actions_, this);
    addToolBar(toolBar_);
    QToolButton* language = LanguageSwitch::makeButton(actions_, menuBar());
    menuBar()->setCornerWidget(language);
    language->show();  // in a bar that is there already it would remain hidden
}

void StudioWindow::buildFrame() {
    buildBars();
    startPage_ = new StartPage(this);
    setCentralWidget(startPage_);
    statusBar()->setSizeGripEnabled(false);
    connect(startPage_, &StartPage::againAsked, this, [this] {
        startPage_->showStarting();
        start_.begin();
    });
    connect(startPage_, &StartPage::withoutAsked, this, &StudioWindow::attachWithout);
    auto* schemes = new QActionGroup(this);
    for (const char* id : {"light", "dark", "light_contrast", "dark_contrast", "system"}) {
        QAction& action = actions_.at(std::string("view.") + id);
        schemes->addAction(&action);
        action.setChecked(settings_.preferences().theme == QLatin1String(id));
        connect(&action, &QAction::triggered, this, [this, id] {
            settings_.change([&](Preferences& preferences) { preferences.theme = id; });
        });
    }
}

void StudioWindow::connectActions() {
    actions_.on("file.quit", this, &QWidget::close);
    actions_.on("edit.keys", this, [this] { KeysSheet(actions_, this).exec(); });
    connect(&actions_, &Actions::keysChanged, this, [this] {
        settings_.change(
            [&](Preferences& preferences) { preferences.keys = actions_.changedKeys(); });
    });
    actions_.on("help.guide", this, &StudioWindow::showGuide);
    actions_.on("help.report", this, &StudioWindow::showReport);
    actions_.on("help.about", this, &StudioWindow::showAbout);
    connect(&settings_,
            &Settings::changed,
            this,
            [this, theme = settings_.preferences().theme]() mutable {
                if (std::exchange(theme, settings_.preferences().theme) != theme) {
                    appearance_.use(theme);
                    actions_.at("view." + theme.toStdString()).setChecked(true);
                }
                appearance_.useMotion(settings_.preferences().motion);
            });
}

void StudioWindow::setWorking(bool isWorking) {
    for (const ActionDesc& desc : actionTable()) {
        if (!isAlways(desc)) {
            actions_.at(desc.id).setEnabled(isWorking);
        }
    }
    recentMenu_->setEnabled(isWorking);
    toolBar_->setBusy(false);
}

void StudioWindow::attach(Plugin& plugin) {
    setWorking(true);
    startPage_ = nullptr;  // the controller's centre takes its place, and the window deletes it
    workspace_ =
        std::make_unique<Workspace>(plugin, settings_, setup_.appFolders, setup_.arguments);
    makeController();
    restoreLayout();
    openFirst();
    showTitle();
    if (!absent_ && !settings_.preferences().isFirstStartDone && setup_.arguments.graph.isEmpty()) {
        QMetaObject::invokeMethod(
            &controller_->presets(), &PresetCommands::showFirstStart, Qt::QueuedConnection);
    }
    if (!settings_.problem().isEmpty()) {
        controller_->widgets().notices.show(NoticeKind::Warning, settings_.problem());
    }
    if (const QString missing = Language::missingFont(); !missing.isEmpty()) {
        controller_->widgets().notices.show(NoticeKind::Warning, missing);
    }
    workspace_->file.whenFree(controller_.get(), [this] { Q_EMIT ready(); });
}

void StudioWindow::makeController() {
    controller_ = std::make_unique<MainWindowController>(MainWindowParts{*workspace_,
                                                                         *this,
                                                                         actions_,
                                                                         *toolBar_,
                                                                         setup_.appFolders,
                                                                         *recentMenu_,
                                                                         log_,
                                                                         setup_.desktop});
    connect(&controller_->presets(), &PresetCommands::firstStartAsked, this, [this] {
        isFirstStartDue_ = true;
    });
    QObject* here = controller_.get();
    connect(&workspace_->file, &DocumentFile::moved, here, [this] { showTitle(); });
    connect(&workspace_->model, &GraphModel::modifiedChanged, here, [this] { showTitle(); });
    connect(&workspace_->queue, &RunQueue::runChanged, here, [this] { showTitle(); });
    connect(&workspace_->queue, &RunQueue::listChanged, here, [this] { showTitle(); });
    connect(&workspace_->queue, &RunQueue::ended, here, [this] { showTitle(); });
    showUnkeptSettings();
}

void StudioWindow::showUnkeptSettings() {
    if (controller_ && !settings_.writeProblem().isEmpty()) {
        controller_->widgets().notices.stand(
            kSettingsNotKept,
            NoticeKind::Warning,
            tr("Settings are not kept: %1").arg(settings_.writeProblem()));
    }
}

/// Everything that shows texts is built again around what is open, which is left as it is: the
/// graph and its steps, runs at work and in the queue.
void StudioWindow::speakAgain() {
    EditSession::commit();
    if (controller_) {
        controller_->fullView().end();
    }
    const QByteArray layout = saveState();
    const WindowState viewState = controller_ ? controller_->widgets().viewState() : WindowState();
    controller_.reset();
    delete menuBar()->cornerWidget();
    qDeleteAll(menuBar()->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    delete toolBar_;
    actions_.retranslate();
    if (guide_) {
        delete guide_.data();
        showGuide();
    }
    if (!workspace_) {
        startPage_->retranslate();
        buildBars();
        setWorking(false);
        return;
    }
    buildBars();
    workspace_->speakAgain();
    makeController();
    setUpdatesEnabled(false);  // until everything is where it was
    QMetaObject::invokeMethod(
        controller_.get(),
        [this, layout, viewState] {
            controller_->widgets().panels.restore(layout);
            controller_->widgets().showState(viewState);
            setUpdatesEnabled(true);
        },
        Qt::QueuedConnection);
    if (absent_) {
        showAbsence();
    }
    if (const QString missing = Language::missingFont(); !missing.isEmpty()) {
        controller_->widgets().notices.show(NoticeKind::Warning, missing);
    }
    showTitle();
    if (std::exchange(isFirstStartDue_, false)) {
        QMetaObject::invokeMethod(
            &controller_->presets(), &PresetCommands::showFirstStart, Qt::QueuedConnection);
    }
}

void StudioWindow::attachWithout() {
    absent_ = std::make_unique<AbsentPlugin>(keptNodes(setup_.appFolders.nodes));
    attach(*absent_);
    showAbsence();
}

void StudioWindow::showAbsence() {
    for (const char* id : {"run.start",
                           "run.front",
                           "run.anew",
                           "run.several",
                           "run.for_ever",
                           "run.here",
                           "run.left_open",
                           "run.release"}) {
        actions_.at(id).setEnabled(false);
    }
    controller_->widgets().notices.stand(
        QStringLiteral("no engine"),
        NoticeKind::Warning,
        tr("The engine does not run. Graphs can be edited and saved; start the "
           "studio again to run them."));
}

/// What was open at the last end comes first, what the command line names is in front of it.
void StudioWindow::openFirst() {
    controller_->files().newGraph();
    controller_->files().restore();
    if (!setup_.arguments.graph.isEmpty()) {
        workspace_->file.whenFree(controller_.get(), [this] { openAsked(); });
    }
    controller_->offerLeftOpen();
}

void StudioWindow::openAsked() {
    const QString& asked = setup_.arguments.graph;
    const PresetEntry* preset =
        QFileInfo::exists(asked) ? nullptr : workspace_->presets.find(asked);
    if (preset) {
        controller_->presets().open(preset->id);
    } else {
        controller_->files().openPath(asked);
    }
}

void StudioWindow::restoreLayout() {
    const QByteArray& layout = settings_.preferences().windowLayout;
    if (layout.isEmpty() || !controller_->widgets().panels.restore(layout)) {
        controller_->widgets().panels.reset();
    }
}

void StudioWindow::showTitle() {
    if (!workspace_) {
        setWindowTitle(tr("Lowtide"));
        return;
    }
    const QString name = workspace_->file.name();
    const QueuedRun* run = workspace_->queue.running();
    const QString plain = tr("%1[*] - Lowtide").arg(name);
    const QString title =
        run && !hasEnded(*run) ? titleWith(workspace_->queue.progress(), plain) : plain;
    if (title != windowTitle()) {
        setWindowTitle(title);
    }
    setWindowModified(workspace_->model.isModified());
    setWindowFilePath(workspace_->file.path());
}

void StudioWindow::showAbout() {
    QMessageBox box(QMessageBox::NoIcon,
                    tr("About Lowtide"),
                    tr("Lowtide studio %1").arg(QApplication::applicationVersion()),
                    QMessageBox::Close,
                    this);
    box.setInformativeText(
        tr("Image diffusion as a node graph, with a memory policy for every node.\n\nUses Qt %1 "
           "under the LGPL, and the fonts Inter and JetBrains Mono under the SIL Open Font "
           "Licence. The file NOTICE names the rest.")
            .arg(QLatin1String(qVersion())));
    box.exec();
}

void StudioWindow::reportFailure(const QString& reason) {
    if (controller_) {
        controller_->widgets().notices.show(
            NoticeKind::Error,
            tr("Something in the studio failed: %1. The rest goes on; save your graph, and look "
               "whether what you did last was done.")
                .arg(reason),
            tr("Report"),
            [this] { actions_.at("help.report").trigger(); });
    }
}

void StudioWindow::showGuide() {
    if (!guide_) {
        guide_ = new GuideWindow(this);
        guide_->setAttribute(Qt::WA_DeleteOnClose);
    }
    guide_->show();
    guide_->raise();
    guide_->activateWindow();
}

void StudioWindow::showReport() {
    ReportFacts facts = workspace_ ? reportFacts(*workspace_) : ReportFacts();
    facts.system = systemFacts(module_, workspace_ ? workspace_->memory.now().devices : Json());
    facts.log = {log_.entries().begin(), log_.entries().end()};
    ReportDialog(std::move(facts), knownOfThisMachine(), this).exec();
}

bool StudioWindow::focusNextPrevChild(bool isNext) {
    return controller_ ? controller_->widgets().panels.moveTab(isNext)
                       : QMainWindow::focusNextPrevChild(isNext);
}

/// Whether it may close now; otherwise it remains open, or it closes when a save has ended.
bool StudioWindow::askToClose() {
    if (!controller_) {
        return true;
    }
    if (!controller_->runs().mayEnd()) {
        return false;
    }
    isAsking_ = true;
    controller_->files().leaveAll([this](bool mayGo) {
        mayClose_ = mayGo;
        if (mayGo && !isAsking_) {
            close();
        }
    });
    isAsking_ = false;
    if (!mayClose_ && workspace_->file.isBusy()) {
        controller_->files().offerToLeaveBehind([this] {
            mayClose_ = true;
            close();
        });
    }
    return std::exchange(mayClose_, false);
}

void StudioWindow::closeEvent(QCloseEvent* event) {
    if (!std::exchange(mayClose_, false) && !askToClose()) {
        event->ignore();
        return;
    }
    if (controller_) {
        controller_->fullView().end();
        const QByteArray layout = saveState();
        const QByteArray geometry = saveGeometry();
        settings_.change([&](Preferences& preferences) {
            preferences.windowLayout = layout;
            preferences.windowGeometry = geometry;
        });
    }
    event->accept();
}

void StudioWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (controller_ && !localFiles(event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void StudioWindow::dragMoveEvent(QDragMoveEvent* event) {
    if (controller_) {
        event->acceptProposedAction();
        controller_->dropped().hover(localFiles(event->mimeData()),
                                     childAt(event->position().toPoint()));
    }
}

void StudioWindow::dragLeaveEvent(QDragLeaveEvent*) {
    if (controller_) {
        controller_->dropped().leave();
    }
}

void StudioWindow::dropEvent(QDropEvent* event) {
    if (controller_) {
        event->acceptProposedAction();
        controller_->dropped().takeAll(localFiles(event->mimeData()),
                                       childAt(event->position().toPoint()));
    }
}

}  // namespace lowtide::ui
