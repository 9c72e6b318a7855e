#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace lowtide::ui {

/// One thread for work that must not hold up the GUI thread: jobs are done one after the other,
/// what a job returns is called on the GUI thread a moment later. Without jobs it costs nothing.
/// GUI thread only.
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
    /// Whether a job is at work or waits, or an answer was not called yet.
    [[nodiscard]] bool isBusy() const;

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    struct State;
    void callAnswers();

    std::unique_ptr<State> state_;
    int timer_ = 0;
};

}  // namespace lowtide::ui
