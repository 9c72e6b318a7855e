#pragma once

#include "ui/document/os.hpp"
#include "ui/history/run_store.hpp"

#include <QDir>
#include <QString>
#include <QStringList>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// A write to the file of runs that is asked for.
struct RunWrite {
    std::function<void(RunStore&)> work;
    std::function<void()> done{};     ///< it is written
    std::function<void()> delayed{};  ///< it could not be at the first try; called once
    bool isKept = true;               ///< to be tried again; else it is left out
    int64_t since = 0;                ///< when it was asked for, in milliseconds
};

/// A new file was begun in place of a damaged one, which is kept.
struct RepairedRuns {
    int64_t images = 0;  ///< that could be read of it
    QString damaged;     ///< path
    QString now;         ///< path of the new one
};

/// What one round of the writing thread came to. Its calls are for the thread that asked.
struct RunsWritten {
    std::vector<std::function<void()>> calls;  ///< of writes that are done, or delayed
    QString problem;                           ///< why something is not written
    std::optional<RepairedRuns> repaired;
    bool isComplete = true;  ///< nothing waits to be tried again
};

/// Writes the file of runs in a folder. What cannot be written now, because the disk is full or
/// another program holds the file, is kept in memory, in its order, and tried again. A damaged file
/// is set aside, and what can be read of it goes into a new one. One thread at a time, but for
/// number().
class RunWriter {
public:
    /// `folder` is made when it is first needed. `session` names this studio among all that use
    /// it.
    RunWriter(QString folder, const QString& session);

    void add(RunWrite write) { backlog_.push_back(std::move(write)); }

    /// Opens the file where it is not; it may fail as a write does.
    void open();
    /// Everything that waits, until something cannot be written now. After a failure only a second
    /// later, so that nobody waits for each write, unless `isLast`.
    [[nodiscard]] RunsWritten writeAll(bool isLast = false);
    /// Sets the file aside, unless another studio did so meanwhile and it is sound. Then
    /// writeAll().
    [[nodiscard]] RunsWritten repairAndWrite();

    /// Of the file; from any thread. Another one when that was damaged.
    [[nodiscard]] QString path() const;

private:
    RunStore& opened(RunsWritten& written);
    void repair(RunsWritten& written);
    [[nodiscard]] bool isDamaged();
    void prune();
    void delayTheRest(RunsWritten& written);

    const QString folder_;
    const std::string lockPath_;
    os::FileLock lock_;
    std::unique_ptr<RunStore> store_;
    std::deque<RunWrite> backlog_;
    QString problem_;        ///< of the last failure
    int64_t notBefore_ = 0;  ///< milliseconds: when it is tried again
    int repairs_ = 0;
    std::atomic<int> number_ = 1;  ///< of the file
};

/// Beginnings of the keys of runs whose studio is open. Locks of dead ones are removed.
[[nodiscard]] QStringList livingSessions(const QDir& folder);

}  // namespace lowtide::ui
