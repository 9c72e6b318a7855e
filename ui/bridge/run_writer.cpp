#include "ui/bridge/run_writer.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QThread>

#include <new>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr const char* kLockSuffix = ".lock";
constexpr const char* kRepairName = "runs.repair";
constexpr int64_t kRunsWithoutImages = 2000;
constexpr int kRepairTries = 100;
constexpr unsigned long kRepairPause = 100;  ///< milliseconds, as those that follow
constexpr int kMostRepairs =
    3;  ///< of one studio: a disk that is broken makes no file for each try
constexpr int64_t kPause = 900;
constexpr int64_t kBrief = 3000;         ///< another studio's write
constexpr size_t kMostDelayed = 10'000;  ///< writes

struct Sessions {
    QStringList living;    ///< beginnings of their runs' keys
    bool hasDead = false;  ///< a studio ended without giving back its lock
};

/// Of all studios that use the folder. Locks of dead ones are removed.
Sessions sessionsIn(const QDir& folder) {
    Sessions sessions;
    const QStringList locks = folder.entryList({QStringLiteral("*%1").arg(kLockSuffix)});
    for (const QString& name : locks) {
        const QString path = folder.filePath(name);
        os::FileLock lock;
        if (lock.tryLock(path.toStdString()) == os::LockState::Held) {
            sessions.hasDead = true;
            QFile::remove(path);
        } else {
            sessions.living << name.chopped(static_cast<int>(qstrlen(kLockSuffix))) +
                                   QLatin1Char(':');
        }
    }
    return sessions;
}

/// "runs.sqlite", and "runs.2.sqlite" when that was damaged. SQLite's files must not be given other
/// names while a program has them open (sqlite.org/howtocorrupt.html), so each new one has its own.
QString pathOf(const QString& folder, int number) {
    return QDir(folder).filePath(number == 1 ? QStringLiteral("runs.sqlite")
                                             : QStringLiteral("runs.%1.sqlite").arg(number));
}

int newestNumber(const QString& folder) {
    int newest = 1;
    while (QFile::exists(pathOf(folder, newest + 1))) {
        ++newest;
    }
    return newest;
}

bool isValidFile(const QString& path) {
    try {
        return RunStore(path).isValid();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Corrupt) {
            throw;
        }
        return false;
    }
}

/// Whether it makes sense to try the same once more.
bool canPass(ErrorKind kind) {
    return kind != ErrorKind::Internal && kind != ErrorKind::Unsupported;
}

}  // namespace

QStringList livingSessions(const QDir& folder) {
    return sessionsIn(folder).living;
}

RunWriter::RunWriter(QString folder, const QString& session)
    : folder_(std::move(folder)),
      lockPath_(QDir(folder_).filePath(session + QLatin1String(kLockSuffix)).toStdString()) {}

RunStore& RunWriter::opened(RunsWritten& written) {
    if (!store_) {
        QDir().mkpath(folder_);
        const bool isUnclean = sessionsIn(QDir(folder_)).hasDead;
        (void)lock_.tryLock(lockPath_);
        number_ = newestNumber(folder_);
        store_ = std::make_unique<RunStore>(path());
        if (isUnclean && !store_->isValid()) {
            repair(written);
        } else {
            prune();
        }
    }
    return *store_;
}

void RunWriter::open() {
    if (!store_ && backlog_.empty()) {
        add({.work = [](RunStore&) {}, .isKept = false});
    }
}

/// As far as it goes: it is not worth a delay.
void RunWriter::prune() {
    try {
        store_->prune(kRunsWithoutImages);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Corrupt) {
            throw;
        }
    }
}

void RunWriter::repair(RunsWritten& written) {
    store_.reset();
    os::FileLock mine;  // two studios may find the damage at once
    const std::string lock = QDir(folder_).filePath(QLatin1String(kRepairName)).toStdString();
    for (int left = kRepairTries; mine.tryLock(lock) == os::LockState::Taken && left > 0; --left) {
        QThread::msleep(kRepairPause);
    }
    const int newest = newestNumber(folder_);
    if (newest > number_ || isValidFile(path())) {  // it was only one connection's, or is repaired
        number_ = newest;
        store_ = std::make_unique<RunStore>(path());
        return;
    }
    const QString damaged = path();
    ++repairs_;
    store_ = std::make_unique<RunStore>(pathOf(folder_, newest + 1));
    RunStore::Salvaged saved;
    try {
        saved = store_->salvage(damaged);
    } catch (const Error&) {  // nothing of it can be read
    }
    number_ = newest + 1;
    written.repaired = {.images = saved.images, .damaged = damaged, .now = path()};
}

QString RunWriter::path() const {
    return pathOf(folder_, number_);
}

/// SQLite takes some damage for rows that contradict each other.
bool RunWriter::isDamaged() {
    try {
        return store_ && !store_->isValid();
    } catch (const Error& error) {
        return error.kind() == ErrorKind::Corrupt;
    }
}

RunsWritten RunWriter::writeAll(bool isLast) {
    RunsWritten written;
    bool wasRepaired = false;
    while (!backlog_.empty() && (isLast || QDateTime::currentMSecsSinceEpoch() >= notBefore_)) {
        ErrorKind kind{};
        try {
            backlog_.front().work(opened(written));
            written.calls.push_back(std::move(backlog_.front().done));
            backlog_.pop_front();
            continue;
        } catch (const Error& error) {
            kind = error.kind();
            problem_ = sentenceOf(error);
        } catch (const std::bad_alloc&) {
            kind = ErrorKind::OutOfMemory;
            problem_ =
                QCoreApplication::translate("lowtide::ui::RunWriter", "there is not enough memory");
        }
        if (kind == ErrorKind::Internal && isDamaged()) {
            kind = ErrorKind::Corrupt;
        }
        if (kind == ErrorKind::Corrupt && repairs_ < kMostRepairs &&
            !std::exchange(wasRepaired, true)) {
            try {
                repair(written);
            } catch (const Error&) {  // the next try reports why
                store_.reset();
            }
        } else if (canPass(kind) && backlog_.front().isKept) {
            notBefore_ = QDateTime::currentMSecsSinceEpoch() + kPause;
            break;
        } else {
            written.problem = problem_;
            written.calls.push_back(std::move(backlog_.front().delayed));
            backlog_.pop_front();
        }
    }
    delayTheRest(written);
    return written;
}

/// What waits for another studio's write for a moment is no problem yet.
void RunWriter::delayTheRest(RunsWritten& written) {
    if (backlog_.size() > kMostDelayed) {
        backlog_.erase(backlog_.begin(),
                       backlog_.end() - static_cast<std::ptrdiff_t>(kMostDelayed));
    }
    for (RunWrite& write : backlog_) {
        if (write.delayed) {
            written.calls.push_back(std::exchange(write.delayed, {}));
        }
    }
    written.isComplete = backlog_.empty();
    if (!backlog_.empty() &&
        (!store_ || QDateTime::currentMSecsSinceEpoch() - backlog_.front().since > kBrief)) {
        written.problem = problem_;
    }
}

RunsWritten RunWriter::repairAndWrite() {
    RunsWritten repaired;
    try {
        if (repairs_ < kMostRepairs) {
            repair(repaired);
        }
    } catch (const Error&) {  // the next write reports why
        store_.reset();
    }
    RunsWritten written = writeAll();
    if (!written.repaired) {
        written.repaired = repaired.repaired;
    }
    return written;
}

}  // namespace lowtide::ui
