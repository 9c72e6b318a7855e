#include "ui/studio/document_file.hpp"

#include "plugin/base/error.hpp"
#include "ui/document/encoded.hpp"
#include "ui/prompts/resolved_graph.hpp"

#include <QDir>
#include <QFileInfo>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kJournalRestMilliseconds = 1000;

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

QString folderMade(const QString& folder) {
    QDir().mkpath(folder);
    return folder;
}

}  // namespace

DocumentFile::DocumentFile(GraphModel& model, const Places& places, QObject* parent)
    : QObject(parent),
      model_(model),
      places_(places),
      name_(tr("untitled")),
      journal_(folderMade(places.journals), QString()) {
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

void DocumentFile::setNew(OpenedGraph opened) {
    lock_.reset();
    onDisk_.reset();
    settle(std::move(opened), QString());
}

QString DocumentFile::open(const QString& path) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (isPicture(whole) || isVideo(whole)) {  // carries a graph, and is not to be saved over
        OpenedGraph opened = openedFile(whole);
        keepPrompts(opened.document, model_.catalog());
        setNew(std::move(opened));
        return {};
    }
    const std::optional<files::FileIdentity> identity = identityOf(whole);  // before it is read
    OpenedGraph opened = openedFile(whole);
    auto lock = whole == path_ && lock_ ? std::move(lock_) : std::make_unique<DocumentLock>(whole);
    if (const QString other = lock->tryLock(); !other.isEmpty()) {
        return other;
    }
    lock_ = std::move(lock);
    onDisk_ = identity;
    settle(std::move(opened), whole);
    return {};
}

void DocumentFile::openCopy(const QString& path) {
    OpenedGraph opened = openedFile(path);
    opened.name = tr("%1 (copy)").arg(opened.name);
    setNew(std::move(opened));
}

void DocumentFile::recover(const Recovered& recovered) {
    QString path = recovered.path;
    auto lock = std::make_unique<DocumentLock>(path);
    if (path.isEmpty() || !lock->tryLock().isEmpty()) {
        lock.reset();
        path.clear();
    }
    lock_ = std::move(lock);
    onDisk_ = identityOf(path);
    OpenedGraph opened = savedGraph(path);
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

bool DocumentFile::isChangedOnDisk() const {
    const std::optional<files::FileIdentity> now = identityOf(path_);
    return now && now != onDisk_;
}

void DocumentFile::save() {
    write(path_);
}

QString DocumentFile::saveAs(const QString& path) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (whole == path_) {
        write(path_);
        return {};
    }
    auto lock = std::make_unique<DocumentLock>(whole);
    if (const QString other = lock->tryLock(); !other.isEmpty()) {
        return other;
    }
    write(whole);
    lock_ = std::move(lock);
    return {};
}

/// The file names what the document uses as its own folder sees it. The document itself stays, so
/// that every step can be undone; it moves along where none of its files stays behind.
void DocumentFile::write(const QString& path) {
    const QString folder = graphFolderOf(path);
    const graph::Document written = rebased(model_.document(), model_.catalog(), folder_, folder);
    saveGraph(path, written, folderMade(places_.backups));
    if (graph::toJson(written) == graph::toJson(model_.document())) {
        folder_ = folder;
    }
    path_ = path;
    name_ = documentNameOf(path);
    onDisk_ = identityOf(path);
    model_.setSaved();
    clearJournal();
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
        journal.setPlace(path, folder);
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
