#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace lowtide::ui {

/// Does `job` on a thread of the pool, then `done` with what it returned on the GUI thread, unless
/// `context` is gone by then. The job must not throw. Called on the GUI thread.
template <class Job, class Done>
void later(QObject* context,
           Job job,
           Done done,
           QThreadPool& pool = *QThreadPool::globalInstance()) {
    /// The lock hands it from thread to thread: the thread sanitizer does not see those of Qt.
    struct Work {
        std::mutex mutex;
        QPointer<QObject> context;
        std::optional<Job> job;
        std::optional<Done> done;
        std::optional<std::invoke_result_t<Job>> result;
    };

    const auto work = std::make_shared<Work>();
    {
        const std::lock_guard lock(work->mutex);
        work->context = context;
        work->job.emplace(std::move(job));
        work->done.emplace(std::move(done));
    }
    pool.start([work] {
        {
            const std::lock_guard lock(work->mutex);
            work->result.emplace((*work->job)());
            work->job.reset();
        }
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [work] {
                std::unique_lock lock(work->mutex);
                const std::optional<Done> call = std::exchange(work->done, std::nullopt);
                std::optional<std::invoke_result_t<Job>> result = std::move(work->result);
                const bool isWanted = !work->context.isNull();
                lock.unlock();
                if (isWanted) {
                    (*call)(std::move(*result));
                }
            },
            Qt::QueuedConnection);
    });
}

}  // namespace lowtide::ui
