#pragma once

#include "ui/bridge/failures.hpp"

#include <QCoreApplication>
#include <QMetaObject>
#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace lowtide::ui {

/// Does `job` on a thread of the pool, then `done` with what it returned on the GUI thread, unless
/// `context` is gone by then. What either throws goes to Failures; after a job that threw, `done`
/// is not called. Called on the GUI thread.
template <class Job, class Done>
void later(QObject* context,
           Job job,
           Done done,
           QThreadPool& pool = *QThreadPool::globalInstance()) {
    using Result = std::invoke_result_t<Job>;

    /// The lock hands it from thread to thread: the thread sanitizer does not see those of Qt.
    struct Work {
        std::mutex mutex;
        QPointer<QObject> context;
        std::optional<Job> job;
        std::optional<Done> done;
        std::unique_ptr<Result> result;  // of an optional GCC 12 warns that it may be unset
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
            try {
                work->result = std::make_unique<Result>((*work->job)());
            } catch (...) {
                Failures::instance().takeCurrent();
            }
            work->job.reset();
        }
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [work] {
                std::unique_lock lock(work->mutex);
                const std::optional<Done> call = std::exchange(work->done, std::nullopt);
                const std::unique_ptr<Result> result = std::move(work->result);
                const bool isWanted = !work->context.isNull() && result;
                lock.unlock();
                if (!isWanted) {
                    return;
                }
                try {
                    (*call)(std::move(*result));
                } catch (...) {
                    Failures::instance().takeCurrent();
                }
            },
            Qt::QueuedConnection);
    });
}

/// One thread for work that must not hold up the GUI thread: jobs are done one after the other,
/// what a job returns is called on the GUI thread (later()). GUI thread only.
class Background : public QObject {
    Q_OBJECT

public:
    /// May be empty.
    using Answer = std::function<void()>;
    /// Runs on the other thread and must not throw.
    using Job = std::function<Answer()>;

    explicit Background(QObject* parent = nullptr);
    /// Waits for the job at work. Jobs that wait and answers that were not called are dropped.
    ~Background() override;

    void run(Job job);
    /// Waits until every job is done; their answers are called later.
    void finish();

private:
    std::mutex working_;
    QThreadPool pool_;
};

}  // namespace lowtide::ui
