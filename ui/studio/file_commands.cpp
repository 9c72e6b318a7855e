#include "ui/studio/file_commands.hpp"

#include "plugin/base/error.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/studio/error_dialog.hpp"
#include "ui/studio/recovery_dialog.hpp"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QStandardPaths>

// Outside every namespace, as the macro wants it: the resources lie in a static library.
static void initStudioResources() {
    Q_INIT_RESOURCE(studio);
}

namespace lowtide::ui {

namespace {

QString filters() {
    return FileCommands::tr(
        "Graphs, pictures and videos (*.json *.png *.jpg *.jpeg *.webp *.mp4 *.webm);;All files "
        "(*)");
}

/// Whether a file is there that begins as no graph does.
bool holdsSomethingElse(const QString& path) {
    constexpr qint64 kBegin = 64;
    QFile file(path);
    const QByteArray begin =
        file.open(QIODevice::ReadOnly) ? file.read(kBegin).trimmed() : QByteArray();
    return !begin.isEmpty() && !begin.startsWith('{');
}

}  // namespace

graph::Document defaultGraph() {
    initStudioResources();
    QFile file(QStringLiteral(":/lowtide/default.json"));
    LOWTIDE_ASSERT(file.open(QIODevice::ReadOnly));
    return graph::parseDocument(file.readAll().toStdString());
}

FileCommands::FileCommands(DocumentFile& file,
                           GraphModel& model,
                           const Places& places,
                           QWidget* window)
    : QObject(window), file_(file), model_(model), places_(places), window_(window) {}

bool FileCommands::newGraph() {
    return openDocument({.document = defaultGraph(), .name = tr("untitled"), .folder = {}});
}

bool FileCommands::openDocument(OpenedGraph opened) {
    if (!mayLeave()) {
        return false;
    }
    file_.setNew(std::move(opened));
    return true;
}

/// A folder that is there: a dialog takes the end of any other path for the name of a file.
QString FileCommands::startFolder() const {
    if (!file_.path().isEmpty()) {
        return QFileInfo(file_.path()).absolutePath();
    }
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo(startFolder_).isDir() ? startFolder_
           : QFileInfo(documents).isDir()  ? documents
                                           : QDir::homePath();
}

bool FileCommands::open() {
    const QString path =
        QFileDialog::getOpenFileName(window_, tr("Open a graph"), startFolder(), filters());
    return !path.isEmpty() && openPath(path);
}

bool FileCommands::openPath(const QString& path) {
    return mayLeave() && openHere(path);
}

bool FileCommands::openHere(const QString& path) {
    try {
        const QString other = file_.open(path);
        if (!other.isEmpty()) {
            return openAsCopy(path, other);
        }
        Q_EMIT used(QFileInfo(path).absoluteFilePath());
        return true;
    } catch (const Error& error) {
        showError(window_, tr("“%1” cannot be opened").arg(QFileInfo(path).fileName()), error);
        return false;
    }
}

bool FileCommands::openAsCopy(const QString& path, const QString& reason) {
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
        return false;
    }
    file_.openCopy(path);
    return true;
}

bool FileCommands::openBackup() {
    const std::vector<Backup> backups =
        file_.path().isEmpty() ? std::vector<Backup>() : backupsOf(file_.path(), places_.backups);
    if (backups.empty()) {
        QMessageBox::information(window_,
                                 tr("No backups"),
                                 tr("There is no backup of this graph yet. Each save keeps what it "
                                    "replaces, up to ten versions."));
        return false;
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
    if (!isChosen || !mayLeave()) {
        return false;
    }
    try {
        const QString& backup = backups.at(static_cast<size_t>(lines.indexOf(line))).path;
        file_.setNew(openedBackup(backup, file_.path()));
        return true;
    } catch (const Error& error) {
        showError(window_, tr("The backup cannot be opened"), error);
        return false;
    }
}

bool FileCommands::save() {
    if (file_.path().isEmpty()) {
        return saveAs();
    }
    return file_.isChangedOnDisk() ? saveOverOther() : saveTo(file_.path());
}

/// Another program has written the file: the person decides.
bool FileCommands::saveOverOther() {
    QMessageBox box(QMessageBox::Question,
                    tr("Changed on the disk"),
                    tr("Another program has changed “%1” since it was opened or saved here.")
                        .arg(QFileInfo(file_.path()).fileName()),
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
        return saveTo(file_.path());
    }
    return box.clickedButton() == elsewhere && saveAs();
}

bool FileCommands::saveAs() {
    const QString proposed =
        file_.path().isEmpty()
            ? QDir(startFolder()).filePath(file_.name() + QStringLiteral(".json"))
            : file_.path();
    QString path = QFileDialog::getSaveFileName(
        window_, tr("Save the graph"), proposed, tr("Graphs (*.json)"));
    if (path.isEmpty()) {
        return false;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += QStringLiteral(".json");
    }
    if (holdsSomethingElse(path)) {
        showError(window_,
                  tr("“%1” is not saved").arg(QFileInfo(path).fileName()),
                  tr("This file is there and holds something else than a graph."),
                  tr("save under another name"));
        return false;
    }
    return saveTo(path);
}

bool FileCommands::saveTo(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    try {
        const QString other = file_.saveAs(path);
        if (!other.isEmpty()) {
            showError(window_,
                      tr("“%1” is not saved").arg(name),
                      other,
                      tr("save under another name, or close it there first"));
            return false;
        }
        Q_EMIT used(QFileInfo(path).absoluteFilePath());
        return true;
    } catch (const Error& error) {
        showError(window_, tr("“%1” is not saved").arg(name), error);
        return false;
    }
}

bool FileCommands::mayLeave() {
    EditSession::commit();
    model_.endMerging();
    if (!model_.isModified()) {
        return true;
    }
    QMessageBox box(QMessageBox::Question,
                    tr("Not saved"),
                    tr("“%1” has changes that are not saved.").arg(file_.name()),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel,
                    window_);
    box.setObjectName(QStringLiteral("unsaved"));
    box.setDefaultButton(QMessageBox::Save);
    box.button(QMessageBox::Discard)->setText(tr("Throw away"));
    const int answer = box.exec();
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

bool FileCommands::recover() {
    std::vector<QString> problems;
    std::vector<Recovered> found = findRecovered(places_.journals, &problems);
    if (found.empty() && problems.empty()) {
        return false;
    }
    RecoveryDialog dialog(std::move(found), problems, window_);
    if (dialog.exec() != QDialog::Accepted || !dialog.chosen()) {
        return false;
    }
    file_.recover(*dialog.chosen());
    return true;
}

}  // namespace lowtide::ui
