#include "ui/bridge/active_run.hpp"

namespace lowtide::ui {

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
    buffer_.makePictures();  // until runFinished has arrived: the buffer must live so long
    result.status = runner.wait(run, result.text);
    return result;
}

}  // namespace lowtide::ui
