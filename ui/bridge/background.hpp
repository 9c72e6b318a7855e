#pragma once

#include <QObject>
#include <QThreadPool>

#include <functional>
#include <mutex>

namespace lowtide::ui {

/// One thread for work that must not hold up the GUI thread: jobs are done one after the other,
/// what a job returns is called on the GUI thread (later.hpp). GUI thread only.
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
