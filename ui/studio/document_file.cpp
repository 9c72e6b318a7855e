#include "ui/studio/document_file.hpp"

#include "plugin/base/error.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kJournalRestMilliseconds = 1000;
constexpr int kPatienceMilliseconds = 1000;  ///< until it is reported that a disk does not answer

/// What the file holds, so that recovering is a step which can be undone; an empty graph where it
/// cannot be read.
OpenedGraph savedGraph(const QString& path) {
    try {
        return path.isEmpty() ? OpenedGraph() : openedFile(path);
    } catch (const Error&) {
        return {};
    }
}

/// Nothing where there is no such file, or none that can be read.
std::optional<files::FileIdentity> identityOf(const QString& path) {
    try {
        return path.isEmpty() ? std::nullopt
                              : std::optional(files::InputFile(encoded(path)).identity());
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Whether a file is there that begins as no graph does.
bool holdsSomethingElse(const QString& path) {
    constexpr qint64 kBegin = 64;
    QFile file(path);
    const QByteArray begin =
        file.open(QIODevice::ReadOnly) ? file.read(kBegin).trimmed() : QByteArray();
    return !begin.isEmpty() && !begin.startsWith('{');
}

/// A file as it was read, with the lock on it.
struct ReadFile {
    QString other;  ///< who else edits it; the rest is empty then
    OpenedGraph opened;
    std::shared_ptr<DocumentLock> lock;  ///< nullptr: it is not to be saved over
    std::optional<files::FileIdentity> identity;
};

/// `held`: the lock on this file, where it is open already.
ReadFile readFile(const QString& path, std::shared_ptr<DocumentLock> held) {
    ReadFile read;
    if (isImage(path) || isVideo(path)) {  // carries a graph, and is not to be saved over
        read.opened = openedFile(path);
        return read;
    }
    read.identity = identityOf(path);  // before it is read
    read.opened = openedFile(path);
    read.lock = held ? std::move(held) : std::make_shared<DocumentLock>(path);
    read.other = read.lock->tryLock();
    return read;
}

QString folderMade(const QString& folder) {
    QDir().mkpath(folder);
    return folder;
}

}  // namespace

DocumentFile::DocumentFile(GraphModel& model, const AppFolders& appFolders, QObject* parent)
    : QObject(parent),
      model_(model),
      appFolders_(appFolders),
      name_(tr("untitled")),
      journal_(folderMade(appFolders.journals), QString()),
      disk_(std::make_unique<Background>()) {
    patience_.setSingleShot(true);
    patience_.setInterval(kPatienceMilliseconds);
    connect(&patience_, &QTimer::timeout, this, [this] {
        isWaitReported_ = true;
        const QString name = QFileInfo(doing_).fileName();
        Q_EMIT waits(work_ == Work::Reading
                         ? tr("Opening “%1”: its disk does not answer yet.").arg(name)
                         : tr("Saving “%1”: its disk does not answer yet.").arg(name),
                     work_ == Work::Reading);
    });
    connect(&model_.undoStack(), &QUndoStack::indexChanged, this, [this] { ++steps_; });
    rest_.setSingleShot(true);
    rest_.setInterval(kJournalRestMilliseconds);
    connect(&rest_, &QTimer::timeout, this, [this] { writeJournal([] {}); });
    // A seed that a run drew is no change that somebody would miss.
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (!delta.reset && model_.isModified() && !rest_.isActive()) {
            rest_.start();
        }
    });
    connect(&model_, &GraphModel::modifiedChanged, this, [this](bool isModified) {
        if (!isModified) {  // undone: nothing is left to recover
            clearJournal();
        } else if (!rest_.isActive()) {
            rest_.start();
        }
    });
}

DocumentFile::~DocumentFile() = default;

void DocumentFile::settle(OpenedGraph opened, const QString& path) {
    path_ = path;
    name_ = opened.name;
    folder_ = opened.folder;
    clearJournal();
    model_.load(std::move(opened.document), opened.isKept);
    if (!opened.isKept) {
        rest_.start();
    }
    Q_EMIT moved();
}

/// `then` and what it begins come before what waits.
void DocumentFile::answer(const FileOutcome& outcome) {
    doing_.clear();
    patience_.stop();
    if (std::exchange(isWaitReported_, false)) {
        Q_EMIT waits({}, false);
    }
    if (const Then then = std::exchange(then_, nullptr)) {
        then(outcome);
    }
    while (!isBusy() && !waiting_.empty()) {
        const Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        if (next.context) {
            next.work();
        }
    }
}

/// What was begun for a document that has been edited meanwhile must not replace it.
void DocumentFile::ask(Work work, const QString& path, std::function<Found()> job, Then then) {
    doing_ = path;
    work_ = work;
    then_ = std::move(then);
    patience_.start();
    const auto done = [this, number = ++asked_, step = steps_](const Found& found) {
        if (!isBusy() || asked_ != number) {
            return;
        }
        const bool isDone = found.outcome.kind == FileOutcome::Kind::Done;
        if (isDone && work_ == Work::Reading && steps_ != step) {
            answer({.kind = FileOutcome::Kind::Edited});
            return;
        }
        if (isDone) {
            found.settle();
        }
        answer(found.outcome);
    };
    disk_->run([self = QPointer(this), done, job = std::move(job)]() -> Background::Answer {
        Found found;
        try {
            found = job();
        } catch (const Error& error) {
            found.outcome = {.kind = FileOutcome::Kind::Failed, .error = error};
        } catch (const std::exception& error) {
            found.outcome = {.kind = FileOutcome::Kind::Failed,
                             .error = Error(ErrorKind::Internal, Message(error.what()))};
        }
        return [self, done, found = std::move(found)] {
            if (self) {
                done(found);
            }
        };
    });
}

void DocumentFile::whenFree(QObject* context, std::function<void()> work) {
    if (isBusy()) {
        waiting_.push_back({context, std::move(work)});
    } else {
        work();
    }
}

void DocumentFile::lookAt(const QString& path,
                          std::function<void()> see,
                          std::function<void()> done) {
    whenFree(this, [this, path, see = std::move(see), done = std::move(done)] {
        const auto job = [see] {
            see();
            return Found{.settle = [] {}};
        };
        ask(Work::Reading, path, job, [done](const FileOutcome& outcome) {
            if (outcome.kind == FileOutcome::Kind::Done ||
                outcome.kind == FileOutcome::Kind::Edited) {
                done();
            }
        });
    });
}

/// A thread that a dead disk holds ends with the disk or the program: nobody waits for it.
void DocumentFile::giveUp() {
    Background* left = disk_.release();
    left->run([left]() -> Background::Answer { return [left] { left->deleteLater(); }; });
    disk_ = std::make_unique<Background>();
    answer({.kind = FileOutcome::Kind::GivenUp});
}

void DocumentFile::stopReading() {
    if (isBusy() && work_ == Work::Reading) {
        giveUp();
    }
}

void DocumentFile::leaveBehind() {
    waiting_.clear();
    if (model_.isModified()) {
        writeJournal([] {});
    }
    background_.run([&journal = journal_]() -> Background::Answer {
        journal.leave();
        return {};
    });
    background_.finish();
    if (isBusy()) {
        release(std::move(lock_));
        giveUp();
    }
}

/// Its folder may lie on a disk that sleeps.
void DocumentFile::release(std::shared_ptr<DocumentLock> lock) {
    disk_->run([lock = std::move(lock)]() -> Background::Answer { return {}; });
}

void DocumentFile::setNew(OpenedGraph opened) {
    release(std::move(lock_));
    onDisk_.reset();
    settle(std::move(opened), QString());
}

void DocumentFile::open(const QString& path, Then then) {
    whenFree(this, [this, whole = QFileInfo(path).absoluteFilePath(), then = std::move(then)] {
        const auto job = [this, whole, held = whole == path_ ? lock_ : nullptr] {
            const auto read = std::make_shared<ReadFile>(readFile(whole, held));
            if (!read->other.isEmpty()) {
                return Found{.outcome = {.kind = FileOutcome::Kind::InUse, .other = read->other}};
            }
            return Found{.settle = [this, whole, read] {
                if (!read->lock) {
                    keepPrompts(read->opened.document, model_.catalog());
                    setNew(std::move(read->opened));
                    return;
                }
                release(std::exchange(lock_, read->lock));
                onDisk_ = read->identity;
                settle(std::move(read->opened), whole);
            }};
        };
        ask(Work::Reading, whole, job, then);
    });
}

void DocumentFile::openCopy(const QString& path, Then then) {
    whenFree(this, [this, path, then = std::move(then)] {
        const auto job = [this, path] {
            const auto opened = std::make_shared<OpenedGraph>(openedFile(path));
            return Found{.settle = [this, opened] {
                opened->name = tr("%1 (copy)").arg(opened->name);
                setNew(std::move(*opened));
            }};
        };
        ask(Work::Reading, path, job, then);
    });
}

void DocumentFile::recover(const Recovered& recovered, Then then) {
    whenFree(this, [this, recovered, then = std::move(then)] {
        const auto job = [this, recovered] {
            QString path = recovered.path;
            auto lock = path.isEmpty() ? nullptr : std::make_shared<DocumentLock>(path);
            if (!lock || !lock->tryLock().isEmpty()) {
                lock.reset();
                path.clear();
            }
            return Found{.settle = [this,
                                    recovered,
                                    path,
                                    lock,
                                    identity = identityOf(path),
                                    opened = savedGraph(path)] {
                release(std::exchange(lock_, lock));
                onDisk_ = identity;
                settleRecovered(recovered, opened, path);
            }};
        };
        ask(Work::Reading,
            recovered.path.isEmpty() ? recovered.journal : recovered.path,
            job,
            then);
    });
}

void DocumentFile::settleRecovered(const Recovered& recovered,
                                   OpenedGraph opened,
                                   const QString& path) {
    opened.name = recovered.path.isEmpty()
                      ? tr("recovered")
                      : tr("%1 (recovered)").arg(documentNameOf(recovered.path));
    opened.document =
        rebased(opened.document, model_.catalog(), opened.folder, recovered.graphFolder);
    opened.folder = recovered.graphFolder;
    settle(std::move(opened), path);
    model_.apply(tr("Recover unsaved changes"),
                 [&](graph::Document& document) { document = recovered.document; });
    writeJournal([recovered] { discard(recovered); });  // its text lies in that of this program
}

void DocumentFile::save(Then then) {
    if (isWaitReported_) {
        stopReading();
    }
    whenFree(this, [this, then = std::move(then)] {
        write(
            path_,
            [known = onDisk_, path = path_] {
                const std::optional<files::FileIdentity> now = identityOf(path);
                const bool isChanged = now && now != known;
                return FileOutcome{.kind = isChanged ? FileOutcome::Kind::ChangedOnDisk
                                                     : FileOutcome::Kind::Done};
            },
            then);
    });
}

void DocumentFile::saveAs(const QString& path, Then then) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (isWaitReported_ && doing_ != whole) {
        giveUp();
    }
    whenFree(this, [this, whole, then = std::move(then)] {
        write(
            whole,
            [whole] {
                return FileOutcome{.kind = holdsSomethingElse(whole) ? FileOutcome::Kind::NoGraph
                                                                     : FileOutcome::Kind::Done};
            },
            then);
    });
}

/// The file names what the document uses as its own folder sees it. The document itself is kept, so
/// that every step can be undone; it moves along where none of its files remains behind.
void DocumentFile::write(const QString& path, std::function<FileOutcome()> check, Then then) {
    model_.endMerging();  // what is changed from here on is a step of its own
    const QString folder = graphFolderOf(path);
    const graph::Document written = rebased(model_.document(), model_.catalog(), folder_, folder);
    const bool isMoved = graph::toJson(written) == graph::toJson(model_.document());
    const auto job = [this,
                      path,
                      check = std::move(check),
                      written,
                      isMoved,
                      step = steps_,
                      held = path == path_ ? lock_ : nullptr,
                      backups = appFolders_.backups] {
        const FileOutcome refused = check();
        if (refused.kind != FileOutcome::Kind::Done) {
            return Found{.outcome = refused};
        }
        const auto lock = held ? held : std::make_shared<DocumentLock>(path);
        if (const QString other = held ? QString() : lock->tryLock(); !other.isEmpty()) {
            return Found{.outcome = {.kind = FileOutcome::Kind::InUse, .other = other}};
        }
        saveGraph(path, written, folderMade(backups));
        return Found{.settle = [this, path, isMoved, step, lock, identity = identityOf(path)] {
            release(std::exchange(lock_, lock));
            onDisk_ = identity;
            settleWritten(path, isMoved, step);
        }};
    };
    ask(Work::Writing, path, job, std::move(then));
}

void DocumentFile::settleWritten(const QString& path, bool isMoved, int step) {
    if (isMoved) {
        folder_ = graphFolderOf(path);
    }
    path_ = path;
    name_ = documentNameOf(path);
    if (steps_ == step) {
        model_.setSaved();
        clearJournal();
    } else {
        model_.undoStack().resetClean();  // no state of the document is that of the file
        background_.run([&journal = journal_, path, folder = folder_]() -> Background::Answer {
            journal.setPath(path, folder);
            return {};
        });
        writeJournal([] {});
    }
    Q_EMIT moved();
}

void DocumentFile::keptAsPreset(const QString& title) {
    if (!path_.isEmpty()) {
        return;
    }
    name_ = title;
    model_.setSaved();
    clearJournal();
    Q_EMIT moved();
}

/// Nothing is unsaved; what comes next is of this document.
void DocumentFile::clearJournal() {
    rest_.stop();
    background_.run([&journal = journal_, path = path_, folder = folder_]() -> Background::Answer {
        journal.clear();
        journal.setPath(path, folder);
        return {};
    });
}

/// `then` is done on the other thread once it is on the disk.
void DocumentFile::writeJournal(std::function<void()> then) {
    background_.run(
        [this, &journal = journal_, document = model_.document(), then]() -> Background::Answer {
            QString reason;
            const bool isWritten = journal.write(document, &reason);
            if (isWritten) {
                then();
            }
            return [this, reason, isWritten] {
                if (!reason.isEmpty()) {
                    journalProblem_ = reason;
                    Q_EMIT journalFailed(reason);
                } else if (isWritten && !std::exchange(journalProblem_, {}).isEmpty()) {
                    Q_EMIT journalWorks();
                }
            };
        });
}

}  // namespace lowtide::ui
