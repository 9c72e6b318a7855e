#include "ui/studio/file_commands.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/document/groups.hpp"
#include "ui/document/prompt_loras.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/language.hpp"
#include "ui/prompts/resolved_graph.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPointer>
#include <QScrollArea>
#include <QStandardPaths>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

// Outside every namespace, as the macro wants it: the resources lie in a static library.
static void initStudioResources() {
    Q_INIT_RESOURCE(studio);
}

namespace lowtide::ui {

namespace {

const auto kNoJournal = QStringLiteral("no journal");
const auto kSlowDisk = QStringLiteral("slow disk");

QString lineOf(const Recovered& recovered) {
    const QDateTime time = QDateTime::fromString(recovered.writtenAt, Qt::ISODate).toLocalTime();
    const QString name = recovered.path.isEmpty() ? RecoveryDialog::tr("never saved")
                                                  : QFileInfo(recovered.path).fileName();
    const QString line =
        RecoveryDialog::tr(
            "%1, %n nodes, kept %2", nullptr, static_cast<int>(recovered.document.nodes.size()))
            .arg(name, dateTimeText(time));
    return recovered.perhapsOpenOn.isEmpty() ? line
                                             : RecoveryDialog::tr("%1; may still be open on %2")
                                                   .arg(line, recovered.perhapsOpenOn);
}

/// However many there are, the buttons remain on the screen.
QWidget* problemsPart(const std::vector<QString>& problems, QWidget& dialog) {
    auto* lines = new QWidget(&dialog);
    auto* column = new QVBoxLayout(lines);
    column->setContentsMargins(0, 0, 0, 0);
    for (const QString& problem : problems) {
        QLabel* line = makeText(problem, "", lines);
        line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // long names are cut
        line->setForegroundRole(QPalette::BrightText);
        column->addWidget(line);
    }
    auto* part = new QScrollArea(&dialog);
    part->setFrameShape(QFrame::NoFrame);
    part->setWidgetResizable(true);
    part->setWidget(lines);
    const int width = dialog.width() - Theme::space(10);
    part->setFixedHeight(std::min(column->totalHeightForWidth(width), Theme::space(30)));
    return part;
}

QString filters() {
    return FileCommands::tr(
        "Graphs, images and videos (*.json *.png *.jpg *.jpeg *.webp *.mp4 *.webm);;All files "
        "(*)");
}

constexpr int kCloseMilliseconds = 2000;  ///< until a closing window asks whether to wait

void showMessage(const FileCommands::Then& then, bool isDone) {
    if (then) {
        then(isDone);
    }
}

}  // namespace

RecoveryDialog::RecoveryDialog(std::vector<Recovered> found,
                               const std::vector<QString>& problems,
                               QWidget* parent)
    : QDialog(parent),
      found_(std::move(found)),
      list_(named("list", new QListWidget(this))),
      open_(makeButton(tr("Recover"), "recover", this)),
      discard_(makeButton(tr("Throw away"), "discard", this)) {
    setObjectName(QStringLiteral("recovery"));
    setWindowTitle(tr("Recover graphs"));
    resize(Theme::space(120), Theme::space(70));
    QLabel* text = makeText(tr("Graphs were kept that may still be open elsewhere, or cannot be "
                               "read. The saved files are unchanged."),
                            "",
                            this);
    open_->setDefault(true);
    QPushButton* later = makeButton(tr("Later"), "later", this);
    columnIn(this,
             3,
             {4, 4, 4, 4},
             {text,
              {list_, 1},
              problems.empty() ? nullptr : problemsPart(problems, *this),
              rowOf(2, {discard_, Cell::spring(), later, open_})});
    connect(later, &QPushButton::clicked, this, &QDialog::reject);
    connect(discard_, &QPushButton::clicked, this, &RecoveryDialog::discardSelected);
    connect(open_, &QPushButton::clicked, this, [this] {
        chosen_ = found_.at(static_cast<size_t>(list_->currentRow()));
        accept();
    });
    connect(list_, &QListWidget::itemActivated, open_, &QPushButton::click);
    fill();
}

void RecoveryDialog::fill() {
    list_->clear();
    for (const Recovered& recovered : found_) {
        auto* item = new QListWidgetItem(lineOf(recovered), list_);
        item->setToolTip(recovered.path);
    }
    list_->setCurrentRow(found_.empty() ? -1 : 0);
    open_->setEnabled(!found_.empty());
    discard_->setEnabled(!found_.empty());
}

void RecoveryDialog::discardSelected() {
    const int row = list_->currentRow();
    if (row < 0 || QMessageBox::question(
                       this,
                       tr("Throw away"),
                       tr("Throw away the unsaved changes of “%1”? They cannot be brought back.")
                           .arg(list_->item(row)->text())) != QMessageBox::Yes) {
        return;
    }
    discard(found_.at(static_cast<size_t>(row)));
    found_.erase(found_.begin() + row);
    fill();
    if (found_.empty()) {
        reject();
    }
}

graph::Document defaultGraph() {
    initStudioResources();
    QFile file(QStringLiteral(":/lowtide/default.json"));
    LOWTIDE_ASSERT(file.open(QIODevice::ReadOnly));
    return graph::parseDocument(file.readAll().toStdString());
}

graph::Document startGraph(const graph::Catalog& catalog) {
    graph::Document document = defaultGraph();
    readAllPromptLoras(document, catalog);
    return document;
}

FileCommands::FileCommands(MainWindowWidgets& widgets)
    : widgets_(widgets),
      file_(widgets.workspace.file),
      model_(widgets.workspace.model),
      appFolders_(widgets.appFolders),
      window_(&widgets.window) {
    connectActions();
    connectNotices(widgets.notices);
    connect(&file_, &DocumentFile::moved, this, &FileCommands::reportGroups);
    connect(&model_, &GraphModel::closed, this, [this](DocumentId id) { looked_.erase(id); });
    reportGroups();
    connect(&widgets.canvas, &GraphView::foreignPasted, this, &FileCommands::openText);
    connect(&widgets.workspace.prompts,
            &PromptLibrary::foreignPasted,
            this,
            [this](const QString& text) {
                widgets_.notices.showOfDocument(
                    NoticeKind::Info,
                    tr("The pasted text holds a workflow or settings of another program."),
                    tr("Open as a graph"),
                    [this, text] { openText(text); });
            });
    fillRecent();
}

void FileCommands::connectActions() {
    const Actions& actions = widgets_.actions;
    actions.on("file.new", this, &FileCommands::newGraph);
    actions.on("file.open", this, &FileCommands::open);
    actions.on("file.save", this, [this] { save(); });
    actions.on("file.save_as", this, [this] { saveAs(); });
    actions.on("file.backups", this, &FileCommands::openBackup);
    actions.on("file.close", this, [this] { close(model_.shown()); });
    actions.on("file.next", this, [this] { showNext(1); });
    actions.on("file.previous", this, [this] { showNext(-1); });
}

void FileCommands::connectNotices(NoticeBar& notices) {
    connect(&file_,
            &DocumentFile::waits,
            &notices,
            [this, &notices](const QString& sentence, bool canStop) {
                if (sentence.isEmpty()) {
                    notices.end(kSlowDisk);
                    return;
                }
                notices.stand(kSlowDisk,
                              NoticeKind::Info,
                              sentence,
                              canStop ? tr("Do not wait") : QString(),
                              [this] { file_.stopReading(); });
            });
    const auto reportJournal = [&notices](const QString& reason) {
        notices.stand(kNoJournal,
                      NoticeKind::Warning,
                      tr("Unsaved changes cannot be kept for recovery: %1").arg(reason));
    };
    connect(&file_, &DocumentFile::journalFailed, &notices, reportJournal);
    connect(&file_, &DocumentFile::journalWorks, &notices, [&notices] { notices.end(kNoJournal); });
    if (!file_.journalProblem().isEmpty()) {  // of the window before this one
        reportJournal(file_.journalProblem());
    }
}

void FileCommands::fillRecent() {
    widgets_.recentMenu.clear();
    const QStringList& paths = widgets_.workspace.settings().preferences().recentFiles;
    for (const QString& path : paths) {
        QAction* action = widgets_.recentMenu.addAction(menuText(QFileInfo(path).fileName()));
        action->setToolTip(path);
        action->setStatusTip(path);
        connect(action, &QAction::triggered, this, [this, path] { openPath(path); });
    }
    widgets_.recentMenu.setEnabled(!paths.isEmpty());
}

void FileCommands::keepRecent(const QString& path) {
    widgets_.workspace.settings().addRecentFile(QFileInfo(path).absoluteFilePath());
    fillRecent();
}

void FileCommands::newGraph() {
    openDocument({.document = startGraph(model_.catalog()),
                  .name = tr("untitled"),
                  .folder = {},
                  .isBlank = true});
}

void FileCommands::openDocument(OpenedGraph opened, Then then) {
    file_.setNew(std::move(opened));
    showMessage(then, true);
}

void FileCommands::openRun(const std::string& graph,
                           const QString& title,
                           const Json& options,
                           const QStringList& files,
                           Then then) {
    try {
        OpenedGraph opened{.document = graph::parseDocument(graph),
                           .name = title,
                           .folder = QString::fromStdString(textIn(options, "graphFolder")),
                           .isKept = false};
        keepPrompts(opened.document, model_.catalog());
        if (files.isEmpty()) {
            openDocument(std::move(opened), then);
            return;
        }
        file_.look(
            this,
            files.back(),
            [files] {
                return std::ranges::any_of(files,
                                           [](const auto& file) { return QFile::exists(file); });
            },
            [this, opened = std::move(opened), then](bool isThere) mutable {
                opened.isKept = isThere;
                openDocument(std::move(opened), then);
            });
    } catch (const Error& error) {
        showError(window_, tr("The graph of this run cannot be opened"), error);
    }
}

/// The window may be built again, in another language, while a disk works.
DocumentFile::Then FileCommands::whileHere(std::function<void(const FileOutcome&)> act) {
    return [self = QPointer(this), act = std::move(act)](const FileOutcome& outcome) {
        if (self) {
            act(outcome);
        }
    };
}

/// A folder that is there: a dialog takes the end of any other path for the name of a file.
QString FileCommands::startFolder() const {
    if (!file_.path().isEmpty()) {
        return QFileInfo(file_.path()).absolutePath();
    }
    const QStringList& recent = widgets_.workspace.settings().preferences().recentFiles;
    const QString last = recent.isEmpty() ? QString() : QFileInfo(recent.front()).absolutePath();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(last).isDir()        ? last
           : QFileInfo(documents).isDir() ? documents
                                          : QDir::homePath();
}

void FileCommands::open() {
    const QString path =
        QFileDialog::getOpenFileName(window_, tr("Open a graph"), startFolder(), filters());
    if (!path.isEmpty()) {
        openPath(path);
    }
}

void FileCommands::openPath(const QString& path, Then then) {
    file_.open(path, whileHere([this, path, then](const FileOutcome& outcome) {
                   switch (outcome.kind) {
                       case FileOutcome::Kind::InUse:
                           openAsCopy(path, outcome.other, then);
                           return;
                       case FileOutcome::Kind::Done:
                           keepRecent(path);
                           break;
                       default:
                           reportUnopened(path, outcome);
                   }
                   showMessage(then, outcome.kind == FileOutcome::Kind::Done);
               }));
}

void FileCommands::openText(const QString& text) {
    const QString name = tr("pasted");
    file_.openText(text.toStdString(), name, whileHere([this, name](const FileOutcome& outcome) {
                       reportUnopened(name, outcome);
                   }));
}

/// Whichever way a document was opened, it is shown.
void FileCommands::reportGroups() {
    if (looked_.insert(model_.shown()).second && Groups(model_.document()).isDamaged()) {
        widgets_.notices.showOfDocument(
            NoticeKind::Warning,
            tr("Groups in “%1” are damaged: what can be read of them is shown. "
               "No node is missing.")
                .arg(file_.name()));
    }
}

/// Nothing of a file that the user did not want to wait for.
void FileCommands::reportUnopened(const QString& path, const FileOutcome& outcome) {
    if (outcome.error) {
        showError(
            window_, tr("“%1” cannot be opened").arg(QFileInfo(path).fileName()), *outcome.error);
    }
}

void FileCommands::openAsCopy(const QString& path, const QString& reason, const Then& then) {
    QMessageBox box(
        QMessageBox::Information, tr("Already open"), reason, QMessageBox::Cancel, window_);
    box.setObjectName(QStringLiteral("locked"));
    box.setInformativeText(
        tr("A copy can be opened here. It is saved under another name, so neither overwrites the "
           "other's changes."));
    QPushButton* copy = box.addButton(tr("Open a copy"), QMessageBox::AcceptRole);
    box.setDefaultButton(copy);
    box.exec();
    if (box.clickedButton() != copy) {
        showMessage(then, false);
        return;
    }
    file_.openCopy(path, whileHere([this, path, then](const FileOutcome& outcome) {
                       reportUnopened(path, outcome);
                       showMessage(then, outcome.kind == FileOutcome::Kind::Done);
                   }));
}

void FileCommands::openBackup() {
    const std::vector<Backup> backups = file_.path().isEmpty()
                                            ? std::vector<Backup>()
                                            : backupsOf(file_.path(), appFolders_.backups);
    if (backups.empty()) {
        QMessageBox::information(window_,
                                 tr("No backups"),
                                 tr("There is no backup of this graph yet. Each save keeps what it "
                                    "replaces, up to ten versions."));
        return;
    }
    QStringList lines;
    for (const Backup& backup : backups) {
        const QDateTime time = QDateTime::fromString(backup.savedAt, Qt::ISODate).toLocalTime();
        lines << QLocale().toString(time, QLocale::LongFormat);
    }
    bool isChosen = false;
    const QString line = QInputDialog::getItem(window_,
                                               tr("Open a backup"),
                                               tr("The graph as it was until it was saved at"),
                                               lines,
                                               0,
                                               false,
                                               &isChosen);
    if (!isChosen) {
        return;
    }
    try {
        const QString& backup = backups.at(static_cast<size_t>(lines.indexOf(line))).path;
        openDocument(openedBackup(backup, file_.path()));
    } catch (const Error& error) {
        showError(window_, tr("The backup cannot be opened"), error);
    }
}

void FileCommands::save(DocumentId id, Then then) {
    file_.whenFree(this, [this, id, then = std::move(then)] {
        if (!model_.isOpen(id)) {
            showMessage(then, false);  // a new graph that another one took the place of
            return;
        }
        if (file_.path(id).isEmpty()) {
            saveAs(id, then);
            return;
        }
        file_.save(id,
                   whileHere([this, id, path = file_.path(id), then](const FileOutcome& outcome) {
                       if (outcome.kind == FileOutcome::Kind::ChangedOnDisk) {
                           saveOverOther(id, then);
                       } else {
                           reportSaved(path, outcome, then);
                       }
                   }));
    });
}

/// Another program has written the file: the user decides.
void FileCommands::saveOverOther(DocumentId id, const Then& then) {
    QMessageBox box(QMessageBox::Question,
                    tr("Changed on the disk"),
                    tr("Another program has changed “%1” since it was opened or saved here.")
                        .arg(QFileInfo(file_.path(id)).fileName()),
                    QMessageBox::Cancel,
                    window_);
    box.setObjectName(QStringLiteral("changedOnDisk"));
    box.setInformativeText(tr("Saving here replaces what it wrote, which is kept as a backup."));
    QPushButton* over = box.addButton(tr("Save over it"), QMessageBox::DestructiveRole);
    over->setObjectName(QStringLiteral("over"));
    QPushButton* elsewhere = box.addButton(tr("Save as..."), QMessageBox::AcceptRole);
    box.setDefaultButton(elsewhere);
    box.exec();
    if (box.clickedButton() == over) {
        saveTo(id, file_.path(id), then);
    } else if (box.clickedButton() == elsewhere) {
        saveAs(id, then);
    } else {
        showMessage(then, false);
    }
}

void FileCommands::saveAs(DocumentId id, const Then& then) {
    const QString proposed =
        file_.path(id).isEmpty()
            ? QDir(startFolder()).filePath(file_.name(id) + QStringLiteral(".json"))
            : file_.path(id);
    QString path = QFileDialog::getSaveFileName(
        window_, tr("Save the graph"), proposed, tr("Graphs (*.json)"));
    if (path.isEmpty()) {
        showMessage(then, false);
        return;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += QStringLiteral(".json");
    }
    saveTo(id, path, then);
}

void FileCommands::saveTo(DocumentId id, const QString& path, const Then& then) {
    file_.saveAs(id, path, whileHere([this, path, then](const FileOutcome& outcome) {
                     reportSaved(path, outcome, then);
                 }));
}

void FileCommands::reportSaved(const QString& path, const FileOutcome& outcome, const Then& then) {
    const QString title = tr("“%1” is not saved").arg(QFileInfo(path).fileName());
    if (outcome.kind == FileOutcome::Kind::Done) {
        keepRecent(path);
    } else if (outcome.kind == FileOutcome::Kind::InUse) {
        showError(
            window_, title, outcome.other, tr("save under another name, or close it there first"));
    } else if (outcome.kind == FileOutcome::Kind::NoGraph) {
        showError(window_,
                  title,
                  tr("This file exists and is not a graph."),
                  tr("save under another name"));
    } else if (outcome.error) {
        showError(window_, title, *outcome.error);
    }
    showMessage(then, outcome.kind == FileOutcome::Kind::Done);
}

/// Whether the document may go.
void FileCommands::leave(DocumentId id, const Then& then) {
    file_.whenFree(this, [this, id, then] {
        EditSession::commit();
        model_.endMerging();
        if (!model_.isOpen(id) || model_.undoStack(id).isClean()) {
            then(true);
            return;
        }
        file_.show(id);
        QMessageBox box(QMessageBox::Question,
                        tr("Not saved"),
                        tr("“%1” has changes that are not saved.").arg(file_.name(id)),
                        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel,
                        window_);
        box.setObjectName(QStringLiteral("unsaved"));
        box.setDefaultButton(QMessageBox::Save);
        box.button(QMessageBox::Discard)->setText(tr("Throw away"));
        const int answer = box.exec();
        if (answer != QMessageBox::Save) {
            then(answer == QMessageBox::Discard);
            return;
        }
        save(id, [this, id, then](bool isSaved) {
            if (isSaved) {
                leave(id, then);  // it may have been edited meanwhile
            } else {
                then(false);
            }
        });
    });
}

void FileCommands::close(DocumentId id) {
    leave(id, [this, id](bool mayGo) {
        if (!mayGo || !model_.isOpen(id)) {
            return;
        }
        if (file_.documents().size() == 1) {
            newGraph();
        }
        if (model_.isOpen(id)) {  // the new one has not taken its place
            file_.close(id);
        }
    });
}

void FileCommands::showNext(int step) {
    const std::vector<DocumentId> documents = file_.documents();
    const auto count = static_cast<int>(documents.size());
    const auto shown = std::ranges::find(documents, model_.shown()) - documents.begin();
    const int next = (static_cast<int>(shown) + step + count) % count;
    file_.show(documents[static_cast<size_t>(next)]);
}

void FileCommands::leaveAll(const Then& then) {
    file_.stopReading();
    file_.whenFree(this, [this, then] {
        EditSession::commit();
        model_.endMerging();
        leaveEach(file_.keepAll(), then);
    });
}

void FileCommands::leaveEach(std::vector<DocumentId> documents, const Then& then) {
    if (documents.empty()) {
        then(true);
        return;
    }
    const DocumentId next = documents.back();
    documents.pop_back();
    leave(next, [this, documents = std::move(documents), then](bool mayGo) {
        if (mayGo) {
            leaveEach(documents, then);
        } else {
            then(false);
        }
    });
}

void FileCommands::offerToLeaveBehind(std::function<void()> then) {
    if (auto* asked = window_->findChild<QDialog*>(QStringLiteral("stillSaving"))) {
        asked->open();
        return;
    }
    auto* box = new QMessageBox(
        QMessageBox::Question,
        tr("Still saving"),
        tr("“%1” is still being saved; its disk does not answer.").arg(file_.busyName()),
        QMessageBox::NoButton,
        window_);
    box->setObjectName(QStringLiteral("stillSaving"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("The window closes when it is saved. If you close it now, the next start opens it with "
           "its changes."));
    QPushButton* now = box->addButton(tr("Close now"), QMessageBox::DestructiveRole);
    now->setObjectName(QStringLiteral("closeNow"));
    QPushButton* wait = box->addButton(tr("Wait"), QMessageBox::RejectRole);
    box->setDefaultButton(wait);
    box->setEscapeButton(wait);
    connect(now, &QPushButton::clicked, this, [this, then = std::move(then)] {
        file_.leaveBehind();
        then();
    });
    QTimer::singleShot(kCloseMilliseconds, box, &QDialog::open);
    file_.whenFree(box, [box] { box->deleteLater(); });
}

void FileCommands::restore() {
    file_.restore([self = QPointer(this)](const DocumentFile::LeftOver& leftOver) {
        if (self && !(leftOver.elsewhere.empty() && leftOver.problems.empty())) {
            self->offer(leftOver);
        }
    });
}

void FileCommands::offer(const DocumentFile::LeftOver& leftOver) {
    RecoveryDialog dialog(leftOver.elsewhere, leftOver.problems, window_);
    if (dialog.exec() == QDialog::Accepted && dialog.chosen()) {
        file_.recover(*dialog.chosen(), [](const FileOutcome&) {});
    }
}

}  // namespace lowtide::ui
