#include "ui/bridge/active_run.hpp"

#include <system_error>
#include <thread>

namespace lowtide::ui {

namespace {

/// Makes pictures of a run until its end, which wait() says: an event of it may be lost.
class PictureThread {
public:
    explicit PictureThread(EventBuffer& buffer) : buffer_(buffer) {
        try {
            thread_ = std::thread([&buffer] { buffer.makePictures(); });
        } catch (const std::system_error&) {  // the run goes on, nobody sees its pictures
        }
    }

    ~PictureThread() {
        buffer_.stopPictures();
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    PictureThread(const PictureThread&) = delete;
    PictureThread& operator=(const PictureThread&) = delete;

private:
    EventBuffer& buffer_;
    std::thread thread_;
};

}  // namespace

bool ActiveRun::isCancelled() {
    const std::lock_guard lock(mutex_);
    return asked_ != CancelMode::No;
}

void ActiveRun::setStarted(Runner& runner, RunId run) {
    const std::lock_guard lock(mutex_);
    run_ = run;
    isStarted_ = true;
    if (asked_ != CancelMode::No) {
        runner.cancel(run, asked_);
    }
}

void ActiveRun::cancel(Runner& runner, CancelMode mode) {
    const std::lock_guard lock(mutex_);
    if (mode <= asked_) {
        return;
    }
    asked_ = mode;
    if (isStarted_) {
        runner.cancel(run_, mode);
    }
}

ActiveRun::Result ActiveRun::carryOut(Runner& runner,
                                      const std::string& graph,
                                      const std::string& options) {
    Result result;
    if (isCancelled()) {
        result.status = Status::Cancelled;
        result.text = R"({"issues": []})";
        return result;
    }
    RunId run = 0;
    result.status = runner.start(graph, options, buffer_, run, result.text);
    if (result.status != Status::Ok) {
        return result;
    }
    result.hasBegun = true;
    setStarted(runner, run);
    const PictureThread pictures(buffer_);
    result.status = runner.wait(run, result.text);
    return result;
}

}  // namespace lowtide::ui
