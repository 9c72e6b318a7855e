#include "ui/studio/document_file.hpp"

#include "plugin/base/error.hpp"

#include <QDir>
#include <QFileInfo>

namespace lowtide::ui {

namespace {

constexpr int kJournalRestMilliseconds = 1000;

QString documentNameOf(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    for (const char* ending : {".lowtide.json", ".json", ".png"}) {
        if (name.endsWith(QLatin1String(ending), Qt::CaseInsensitive)) {
            return name.chopped(static_cast<qsizetype>(qstrlen(ending)));
        }
    }
    return name;
}

/// A picture carries its graph, but is never written over.
bool isPicture(const QString& path) {
    return path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive);
}

/// What the file holds, so that recovering is a step which can be undone; an empty graph where it
/// cannot be read.
graph::Document savedGraph(const QString& path) {
    try {
        return path.isEmpty() ? graph::Document() : loadGraph(path);
    } catch (const Error&) {
        return {};
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
    connect(&rest_, &QTimer::timeout, this, &DocumentFile::writeJournal);
    connect(&model_, &GraphModel::changed, this, [this](const Delta& delta) {
        if (!delta.reset && !rest_.isActive()) {
            rest_.start();
        }
    });
}

DocumentFile::~DocumentFile() {
    journal_.clear();
}

void DocumentFile::settle(graph::Document document, const QString& path, const QString& name) {
    rest_.stop();
    journal_.clear();
    path_ = path;
    name_ = name;
    journal_.setPath(path);
    model_.load(std::move(document));
    Q_EMIT moved();
}

void DocumentFile::setNew(graph::Document document, const QString& name) {
    lock_.reset();
    settle(std::move(document), QString(), name);
}

QString DocumentFile::open(const QString& path) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (isPicture(whole)) {
        openCopy(whole);
        return {};
    }
    graph::Document document = loadGraph(whole);
    auto lock = whole == path_ && lock_ ? std::move(lock_) : std::make_unique<DocumentLock>(whole);
    if (const QString other = lock->tryLock(); !other.isEmpty()) {
        return other;
    }
    lock_ = std::move(lock);
    settle(std::move(document), whole, documentNameOf(whole));
    return {};
}

void DocumentFile::openCopy(const QString& path) {
    graph::Document document = loadGraph(path);
    lock_.reset();
    settle(std::move(document),
           QString(),
           isPicture(path) ? documentNameOf(path) : tr("%1 (copy)").arg(documentNameOf(path)));
}

void DocumentFile::recover(const Recovered& recovered) {
    QString path = recovered.path;
    auto lock = std::make_unique<DocumentLock>(path);
    if (path.isEmpty() || !lock->tryLock().isEmpty()) {
        lock.reset();
        path.clear();
    }
    lock_ = std::move(lock);
    const QString name = recovered.path.isEmpty()
                             ? tr("recovered")
                             : tr("%1 (recovered)").arg(documentNameOf(recovered.path));
    settle(savedGraph(path), path, name);
    model_.apply(tr("Recover what was not saved"),
                 [&](graph::Document& document) { document = recovered.document; });
    if (writeJournal()) {
        discard(recovered);  // its text lies in the journal of this program now
    }
}

void DocumentFile::save() {
    saveGraph(path_, model_.document(), folderMade(places_.backups));
    model_.setSaved();
    rest_.stop();
    journal_.clear();
}

QString DocumentFile::saveAs(const QString& path) {
    const QString whole = QFileInfo(path).absoluteFilePath();
    if (whole == path_) {
        save();
        return {};
    }
    auto lock = std::make_unique<DocumentLock>(whole);
    if (const QString other = lock->tryLock(); !other.isEmpty()) {
        return other;
    }
    saveGraph(whole, model_.document(), folderMade(places_.backups));
    lock_ = std::move(lock);
    path_ = whole;
    name_ = documentNameOf(whole);
    model_.setSaved();
    rest_.stop();
    journal_.clear();
    journal_.setPath(whole);
    Q_EMIT moved();
    return {};
}

bool DocumentFile::writeJournal() {
    QString reason;
    if (journal_.write(model_.document(), &reason)) {
        return true;
    }
    if (!reason.isEmpty()) {
        Q_EMIT journalFailed(reason);
    }
    return false;
}

}  // namespace lowtide::ui
