#include "ui/studio/document_file.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/failures.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <mutex>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kJournalRestMilliseconds = 1000;
constexpr int kPatienceMilliseconds = 1000;  ///< until it is reported that a disk does not answer

/// Nothing where it cannot be read.
std::optional<OpenedGraph> savedGraph(const QString& path) {
    try {
        return openedFile(path, {});
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

ReadFile readFile(const QString& path, const Importer& importer) {
    ReadFile read;
    const bool isCarrier = isImage(path) || isVideo(path);
    read.identity = identityOf(path);  // before it is read
    read.opened = openedFile(path, importer);
    if (isCarrier || !read.opened.report.is_null()) {
        return read;  // carries a graph, or is another program's: not to be saved over
    }
    read.lock = std::make_shared<DocumentLock>(path);
    read.other = read.lock->tryLock();
    return read;
}

QString folderMade(const QString& folder) {
    QDir().mkpath(folder);
    return folder;
}

/// What the work threw; nothing: it was done.
std::optional<Error> failureOf(const std::function<void()>& work) {
    try {
        work();
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    } catch (const std::exception& error) {
        return Error(ErrorKind::Internal, Message(error.what()));
    }
}

/// What one of those who wait throws keeps up none of the others.
void attempted(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception&) {
        Failures::instance().takeCurrent();
    }
}

}  // namespace

/// A document of another program, as it is to be opened.
struct DocumentFile::Draft {
    Recovered left;
    std::shared_ptr<DocumentLock> lock{};  ///< nullptr: it has no file to which it may be saved
    std::optional<files::FileIdentity> identity{};
    std::optional<OpenedGraph> saved{};  ///< what its file holds
};

/// One import at a time, also where one was given up.
struct DocumentFile::Importing {
    std::mutex working{};
    bool isOver = false;  ///< the documents are gone: none begins

    [[nodiscard]] bool isAtWork() {
        const std::unique_lock lock(working, std::try_to_lock);
        return !lock.owns_lock();
    }
};

DocumentFile::DocumentFile(GraphModel& model, const AppFolders& appFolders, QObject* parent)
    : QObject(parent),
      model_(model),
      appFolders_(appFolders),
      importing_(std::make_shared<Importing>()),
      disk_(std::make_unique<Background>()) {
    folderMade(appFolders_.journals);
    OpenFile& first = keep(model_.shown());
    first.name = tr("untitled");
    first.isBlank = true;
    patience_.setSingleShot(true);
    patience_.setInterval(kPatienceMilliseconds);
    connect(&patience_, &QTimer::timeout, this, [this] {
        isWaitReported_ = true;
        const QString name = QFileInfo(doing_).fileName();
        const bool isReading = work_ == Work::Reading;
        Q_EMIT waits(isReading && importing_->isAtWork()
                         ? tr("Importing “%1” takes a while.").arg(name)
                     : isReading ? tr("Opening “%1”: its disk does not answer yet.").arg(name)
                                 : tr("Saving “%1”: its disk does not answer yet.").arg(name),
                     isReading);
    });
    rest_.setSingleShot(true);
    rest_.setInterval(kJournalRestMilliseconds);
    connect(&rest_, &QTimer::timeout, this, [this] {
        for (const auto& file : open_) {
            if (file->isJournalDue) {
                writeJournal(*file);
            }
        }
    });
    // A seed that a run drew is no change that somebody would miss.
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        OpenFile& file = fileOf(model_.shown());
        if (delta.reset) {
            file.lastShown = QDateTime::currentMSecsSinceEpoch();
            for (const auto& other : open_) {  // more than one within a millisecond
                file.lastShown = std::max(file.lastShown, other->lastShown + 1);
            }
        }
        if (delta.reset || model_.isModified()) {
            writeJournalSoon(file);
        }
    });
    connect(&model_, &GraphModel::savedChanged, this, [this](DocumentId id) {
        writeJournalSoon(fileOf(id));
    });
}

DocumentFile::~DocumentFile() {
    static_cast<void>(keepAll());
    for (const auto& file : open_) {
        file->journal->leave();
    }
    const std::lock_guard lock(importing_->working);
    importing_->isOver = true;
}

void DocumentFile::setImporter(const Importer& importer) {
    importer_ = {};
    if (!importer) {
        return;
    }
    importer_ = [importing = importing_, importer](const std::string& text, const QString& folder) {
        const std::lock_guard lock(importing->working);
        if (importing->isOver) {
            throw Error(ErrorKind::Cancelled, message("nobody waits for the import any more"));
        }
        return importer(text, folder);
    };
}

/// Whether what is read or written may never be done. An import ends.
bool DocumentFile::isStuck() const {
    return isWaitReported_ && !(work_ == Work::Reading && importing_->isAtWork());
}

size_t DocumentFile::indexOf(DocumentId id) const {
    const auto found = std::ranges::find(open_, id, [](const auto& file) { return file->id; });
    LOWTIDE_ASSERT(found != open_.end());
    return static_cast<size_t>(found - open_.begin());
}

DocumentFile::OpenFile& DocumentFile::fileOf(DocumentId id) const {
    return *open_[indexOf(id)];
}

std::vector<DocumentId> DocumentFile::documents() const {
    std::vector<DocumentId> ids;
    for (const auto& file : open_) {
        ids.push_back(file->id);
    }
    return ids;
}

/// A document of the model gets a file, behind all others.
DocumentFile::OpenFile& DocumentFile::keep(DocumentId id) {
    auto file = std::make_unique<OpenFile>();
    file->id = id;
    file->journal = std::make_shared<Journal>(appFolders_.journals, QString());
    connect(
        &model_.undoStack(id), &QUndoStack::indexChanged, this, [this, id] { ++fileOf(id).steps; });
    file->position = open_.empty() ? 0 : open_.back()->position + 1;
    return *open_.emplace_back(std::move(file));
}

bool DocumentFile::isUntouched(DocumentId id) const {
    const OpenFile& file = fileOf(id);
    const QUndoStack& steps = model_.undoStack(id);
    const bool isSaving = isBusy() && work_ == Work::Writing;
    return file.isBlank && file.path.isEmpty() && steps.count() == 0 && steps.isClean() &&
           !isSaving;
}

void DocumentFile::show(DocumentId id) {
    if (id != model_.shown()) {
        model_.show(id);
        Q_EMIT moved();
    }
}

void DocumentFile::move(DocumentId id, int index) {
    const auto from = open_.begin() + static_cast<ptrdiff_t>(indexOf(id));
    const auto to = open_.begin() + index;
    if (from < to) {
        std::rotate(from, from + 1, to + 1);
    } else {
        std::rotate(to, from, from + 1);
    }
    number();
    Q_EMIT listChanged();
}

/// As few as possible get another position: each is written.
void DocumentFile::number() {
    int least = 0;
    for (const auto& file : open_) {
        if (file->position < least) {
            file->position = least;
            writeJournalSoon(*file);
        }
        least = file->position + 1;
    }
}

void DocumentFile::close(DocumentId id) {
    const size_t index = indexOf(id);
    if (id == model_.shown()) {
        show(open_[index + 1 < open_.size() ? index + 1 : index - 1]->id);
    }
    drop(id);
    Q_EMIT listChanged();
}

/// It is hidden.
void DocumentFile::drop(DocumentId id) {
    OpenFile& file = fileOf(id);
    background_.run([journal = file.journal]() -> Background::Answer {
        journal->clear();
        return {};
    });
    takeJournalProblem(file, {});
    release(std::move(file.lock));
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(indexOf(id)));
    model_.close(id);
}

/// Hidden, behind all others.
DocumentFile::OpenFile& DocumentFile::insert(OpenedGraph opened, const QString& path) {
    OpenFile& file = keep(model_.add(std::move(opened.document), opened.isKept));
    file.path = path;
    file.name = opened.name;
    file.folder = opened.folder;
    file.isBlank = opened.isBlank;
    file.report = std::move(opened.report);
    return file;
}

DocumentFile::OpenFile& DocumentFile::settle(OpenedGraph opened, const QString& path) {
    const DocumentId before = model_.shown();
    OpenFile& file = insert(std::move(opened), path);
    model_.show(file.id);
    if (isUntouched(before)) {
        const auto index = static_cast<int>(indexOf(before));
        file.position = fileOf(before).position;
        drop(before);
        move(file.id, index);
    }
    Q_EMIT listChanged();
    Q_EMIT moved();
    return file;
}

/// `then` and what it begins come before what waits.
void DocumentFile::answer(const FileOutcome& outcome) {
    doing_.clear();
    patience_.stop();
    if (std::exchange(isWaitReported_, false)) {
        Q_EMIT waits({}, false);
    }
    if (const Then then = std::exchange(then_, nullptr)) {
        attempted([&] { then(outcome); });
    }
    while (!isBusy() && !waiting_.empty()) {
        const Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        if (next.context) {
            attempted(next.work);
        }
    }
}

void DocumentFile::ask(Work work, const QString& path, std::function<Found()> job, Then then) {
    doing_ = path;
    work_ = work;
    then_ = std::move(then);
    patience_.start();
    const auto done = [this, number = ++asked_](const Found& found) {
        if (!isBusy() || asked_ != number) {
            return;
        }
        const bool isDone = found.outcome.kind == FileOutcome::Kind::Done;
        const std::optional<Error> failure = isDone ? failureOf(found.settle) : std::nullopt;
        answer(failure ? FileOutcome{.kind = FileOutcome::Kind::Failed, .error = failure}
                       : found.outcome);
    };
    disk_->run([self = QPointer(this), done, job = std::move(job)]() -> Background::Answer {
        Found found;
        if (const std::optional<Error> failure = failureOf([&] { found = job(); })) {
            found.outcome = {.kind = FileOutcome::Kind::Failed, .error = failure};
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
            if (outcome.kind == FileOutcome::Kind::Done) {
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

std::vector<DocumentId> DocumentFile::keepAll() {
    for (const auto& file : open_) {
        if (file->isJournalDue || !file->journalProblem.isEmpty()) {
            writeJournal(*file);
        }
    }
    background_.finish();
    std::vector<DocumentId> lost;
    for (const auto& file : open_) {
        if (!model_.undoStack(file->id).isClean() && file->journal->hasFailed()) {
            lost.push_back(file->id);
        }
    }
    return lost;
}

void DocumentFile::leaveBehind() {
    waiting_.clear();
    static_cast<void>(keepAll());
    if (isBusy()) {
        for (const auto& file : open_) {
            release(std::move(file->lock));
        }
        giveUp();
    }
}

/// Its folder may lie on a disk that sleeps.
void DocumentFile::release(std::shared_ptr<DocumentLock> lock) {
    disk_->run([lock = std::move(lock)]() -> Background::Answer { return {}; });
}

void DocumentFile::setNew(OpenedGraph opened) {
    settle(std::move(opened));
}

void DocumentFile::open(const QString& path, Then then) {
    if (isStuck()) {
        stopReading();
    }
    whenFree(this, [this, whole = QFileInfo(path).absoluteFilePath(), then = std::move(then)] {
        const auto there =
            std::ranges::find(open_, whole, [](const auto& file) { return file->path; });
        if (there != open_.end()) {
            show((*there)->id);
            then({});
            return;
        }
        const auto job = [this, whole, importer = importer_] {
            const auto read = std::make_shared<ReadFile>(readFile(whole, importer));
            if (!read->other.isEmpty()) {
                return Found{.outcome = {.kind = FileOutcome::Kind::InUse, .other = read->other}};
            }
            return Found{.settle = [this, whole, read] {
                if (!read->lock) {
                    settleUnsaved(std::move(read->opened));
                    return;
                }
                OpenFile& file = settle(std::move(read->opened), whole);
                file.lock = read->lock;
                file.onDisk = read->identity;
            }};
        };
        ask(Work::Reading, whole, job, then);
    });
}

/// What was drawn for an image remains so; another program's file has what is to be drawn.
void DocumentFile::settleUnsaved(OpenedGraph opened) {
    if (opened.report.is_null()) {
        keepPrompts(opened.document, model_.catalog());
        setNew(std::move(opened));
        return;
    }
    setNew(std::move(opened));
    Q_EMIT imported();
}

void DocumentFile::openText(const std::string& text, const QString& name, Then then) {
    whenFree(this, [this, text, name, then = std::move(then)] {
        const auto job = [this, text, name, importer = importer_] {
            const auto opened = std::make_shared<OpenedGraph>(openedText(text, name, importer));
            return Found{.settle = [this, opened] { settleUnsaved(std::move(*opened)); }};
        };
        ask(Work::Reading, name, job, then);
    });
}

void DocumentFile::openCopy(const QString& path, Then then) {
    whenFree(this, [this, path, then = std::move(then)] {
        const auto job = [this, path] {
            const auto opened = std::make_shared<OpenedGraph>(openedFile(path, {}));
            return Found{.settle = [this, opened] {
                opened->name = tr("%1 (copy)").arg(opened->name);
                setNew(std::move(*opened));
            }};
        };
        ask(Work::Reading, path, job, then);
    });
}

DocumentFile::Draft DocumentFile::readDraft(const Recovered& recovered) {
    Draft draft{.left = recovered};
    if (recovered.path.isEmpty()) {
        return draft;
    }
    auto lock = std::make_shared<DocumentLock>(recovered.path);
    if (lock->tryLock().isEmpty()) {
        draft.lock = std::move(lock);
        draft.identity = identityOf(recovered.path);
        draft.saved = savedGraph(recovered.path);
    }
    return draft;
}

/// Hidden. nullptr: its file is open in another program, and nothing of it is unsaved.
DocumentFile::OpenFile* DocumentFile::insert(const Draft& draft) {
    const Recovered& left = draft.left;
    const bool isUnsaved = left.tab.isUnsaved;
    const bool isTaken = !left.path.isEmpty() && !draft.lock;
    if (isTaken && !isUnsaved) {
        discard(left);
        return nullptr;
    }
    OpenedGraph opened{.document = left.document,
                       .name = left.tab.name.isEmpty() ? tr("recovered") : left.tab.name,
                       .folder = left.graphFolder,
                       .isKept = !isUnsaved && left.path.isEmpty()};
    if (!isUnsaved && draft.saved) {
        opened = *draft.saved;  // as it is now
    } else if (!left.path.isEmpty()) {
        opened.name = documentNameOf(left.path);
    }
    if (isTaken) {
        opened.name = tr("%1 (copy)").arg(opened.name);
    }
    opened.report = left.tab.report;
    OpenFile& file = insert(std::move(opened), draft.lock ? left.path : QString());
    file.lock = draft.lock;
    file.onDisk = draft.identity;
    file.lastShown = left.tab.lastShown;
    file.journal->replace(left.journal);
    writeJournal(file);  // from now on it is of this program
    return &file;
}

void DocumentFile::settleAll(const std::vector<Draft>& drafts) {
    const OpenFile* front = nullptr;
    for (const Draft& draft : drafts) {
        const OpenFile* file = insert(draft);
        if (file && (!front || front->lastShown <= file->lastShown)) {
            front = file;
        }
    }
    if (!front) {
        return;
    }
    const DocumentId before = model_.shown();
    model_.show(front->id);
    if (isUntouched(before)) {
        drop(before);
    }
    Q_EMIT listChanged();
    Q_EMIT moved();
}

void DocumentFile::recover(const Recovered& recovered, Then then) {
    whenFree(this, [this, recovered, then = std::move(then)] {
        const auto job = [this, recovered] {
            return Found{.settle = [this, draft = readDraft(recovered)] { settleAll({draft}); }};
        };
        ask(Work::Reading,
            recovered.path.isEmpty() ? recovered.journal : recovered.path,
            job,
            then);
    });
}

void DocumentFile::restore(std::function<void(const LeftOver&)> then) {
    const auto leftOver = std::make_shared<LeftOver>();
    const auto job = [this, leftOver, journals = appFolders_.journals] {
        // Until what is opened is of this program.
        const auto lock = std::make_shared<os::FileLock>();
        if (lock->tryLock(encoded(journals + QStringLiteral("/.restore.lock"))) ==
            os::LockState::Taken) {
            return Found{.settle = [] {}};
        }
        std::vector<Draft> drafts;
        for (Recovered& recovered : findRecovered(journals, &leftOver->problems)) {
            if (recovered.perhapsOpenOn.isEmpty()) {
                drafts.push_back(readDraft(recovered));
            } else {
                leftOver->elsewhere.push_back(std::move(recovered));
            }
        }
        std::ranges::stable_sort(
            drafts, {}, [](const Draft& draft) { return draft.left.tab.position; });
        return Found{.settle = [this, drafts = std::move(drafts), lock] {
            settleAll(drafts);
            background_.run([lock]() -> Background::Answer { return {}; });
        }};
    };
    ask(Work::Reading, appFolders_.journals, job, [leftOver, then](const FileOutcome& outcome) {
        if (outcome.kind == FileOutcome::Kind::Done) {  // else the other thread may write to it
            then(*leftOver);
        }
    });
}

void DocumentFile::save(DocumentId id, Then then) {
    if (isStuck()) {
        stopReading();
    }
    whenFree(this, [this, id, then = std::move(then)] {
        if (!model_.isOpen(id)) {
            then({.kind = FileOutcome::Kind::GivenUp});
            return;
        }
        write(
            id,
            path(id),
            [known = fileOf(id).onDisk, path = path(id)] {
                const std::optional<files::FileIdentity> now = identityOf(path);
                const bool isChanged = now && now != known;
                return FileOutcome{.kind = isChanged ? FileOutcome::Kind::ChangedOnDisk
                                                     : FileOutcome::Kind::Done};
            },
            then);
    });
}

void DocumentFile::saveAs(DocumentId id, const QString& path, Then then) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (isStuck() && doing_ != whole) {
        giveUp();
    }
    whenFree(this, [this, id, whole, then = std::move(then)] {
        if (!model_.isOpen(id)) {
            then({.kind = FileOutcome::Kind::GivenUp});
            return;
        }
        write(
            id,
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
void DocumentFile::write(DocumentId id,
                         const QString& path,
                         std::function<FileOutcome()> check,
                         Then then) {
    model_.endMerging();  // what is changed from here on is a step of its own
    const OpenFile& file = fileOf(id);
    const graph::Document& document = model_.document(id);
    const graph::Document written =
        rebased(document, model_.catalog(), file.folder, graphFolderOf(path));
    const bool isMoved = graph::toJson(written) == graph::toJson(document);
    const auto job = [this,
                      id,
                      path,
                      check = std::move(check),
                      written,
                      isMoved,
                      step = file.steps,
                      held = path == file.path ? file.lock : nullptr,
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
        return Found{.settle = [this, id, path, isMoved, step, lock, identity = identityOf(path)] {
            OpenFile& saved = fileOf(id);
            release(std::exchange(saved.lock, lock));
            saved.onDisk = identity;
            settleWritten(saved, path, isMoved, step);
        }};
    };
    ask(Work::Writing, path, job, std::move(then));
}

void DocumentFile::settleWritten(OpenFile& file, const QString& path, bool isMoved, int step) {
    if (isMoved) {
        file.folder = graphFolderOf(path);
    }
    file.path = path;
    file.name = documentNameOf(path);
    if (file.steps == step) {
        model_.undoStack(file.id).setClean();
    } else {
        model_.undoStack(file.id).resetClean();  // no state of the document is that of the file
    }
    writeJournalSoon(file);
    Q_EMIT listChanged();
    Q_EMIT moved();
}

void DocumentFile::keptAsPreset(const QString& title) {
    OpenFile& file = fileOf(model_.shown());
    if (!file.path.isEmpty()) {
        return;
    }
    file.name = title;
    file.isBlank = false;
    model_.setSaved();
    writeJournalSoon(file);
    Q_EMIT listChanged();
    Q_EMIT moved();
}

QString DocumentFile::journalProblem() const {
    const auto found = std::ranges::find_if(
        open_, [](const auto& file) { return !file->journalProblem.isEmpty(); });
    return found == open_.end() ? QString() : (*found)->journalProblem;
}

/// Nobody misses a new graph that nobody has edited.
void DocumentFile::writeJournalSoon(OpenFile& file) {
    if (isUntouched(file.id)) {
        return;
    }
    file.isJournalDue = true;
    if (!rest_.isActive()) {
        rest_.start();
    }
}

void DocumentFile::writeJournal(OpenFile& file) {
    file.isJournalDue = false;
    const DocumentTab tab{.name = file.name,
                          .isUnsaved = !model_.undoStack(file.id).isClean(),
                          .position = file.position,
                          .lastShown = file.lastShown,
                          .report = file.report};
    background_.run([this,
                     id = file.id,
                     journal = file.journal,
                     path = file.path,
                     folder = file.folder,
                     tab,
                     document = model_.document(file.id)]() -> Background::Answer {
        journal->setPath(path, folder);
        journal->setTab(tab);
        QString reason;
        const bool isWritten = journal->write(document, &reason);
        return [this, id, reason, isWritten] {
            if (model_.isOpen(id) && (isWritten || !reason.isEmpty())) {
                takeJournalProblem(fileOf(id), reason);
            }
        };
    });
}

void DocumentFile::takeJournalProblem(OpenFile& file, const QString& problem) {
    const bool hadProblem = !journalProblem().isEmpty();
    file.journalProblem = problem;
    if (!problem.isEmpty()) {
        Q_EMIT journalFailed(problem);
    } else if (hadProblem && journalProblem().isEmpty()) {
        Q_EMIT journalWorks();
    }
}

}  // namespace lowtide::ui
