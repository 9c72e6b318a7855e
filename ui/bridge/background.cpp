#include "ui/bridge/background.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace lowtide::ui {

namespace {

/// How long an answer lies at most before it is called. Answers are looked for, not posted: Qt's
/// event queue would hide from the thread sanitizer that they were handed over.
constexpr int kLookMilliseconds = 8;

}  // namespace

struct Background::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Job> jobs;
    std::deque<Answer> answers;
    int unanswered = 0;  ///< jobs whose answer was not called
    bool isEnding = false;
    std::thread thread;

    void work() {
        std::unique_lock lock(mutex);
        for (;;) {
            changed.wait(lock, [this] { return isEnding || !jobs.empty(); });
            if (isEnding) {
                return;
            }
            Job job = std::move(jobs.front());
            jobs.pop_front();
            lock.unlock();
            Answer answer = job();
            job = nullptr;
            lock.lock();
            answers.push_back(std::move(answer));
        }
    }
};

Background::Background(QObject* parent) : QObject(parent), state_(std::make_unique<State>()) {
    state_->thread = std::thread([state = state_.get()] { state->work(); });
}

Background::~Background() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->isEnding = true;
    }
    state_->changed.notify_all();
    state_->thread.join();
}

void Background::run(Job job) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->jobs.push_back(std::move(job));
        ++state_->unanswered;
    }
    state_->changed.notify_all();
    if (timer_ == 0) {
        timer_ = startTimer(kLookMilliseconds, Qt::PreciseTimer);
    }
}

bool Background::isBusy() const {
    const std::lock_guard lock(state_->mutex);
    return state_->unanswered > 0;
}

void Background::timerEvent(QTimerEvent*) {
    callAnswers();
    if (!isBusy() && timer_ != 0) {
        killTimer(std::exchange(timer_, 0));
    }
}

void Background::callAnswers() {
    std::deque<Answer> answers;
    {
        const std::lock_guard lock(state_->mutex);
        answers.swap(state_->answers);
        state_->unanswered -= static_cast<int>(answers.size());
    }
    for (const Answer& answer : answers) {
        if (answer) {
            answer();
        }
    }
}

}  // namespace lowtide::ui
