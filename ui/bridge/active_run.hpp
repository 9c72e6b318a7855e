#pragma once

#include "ui/bridge/event_buffer.hpp"

#include <mutex>
#include <string>

namespace lowtide::ui {

/// The run that the module has, shared by the thread that waits for it and the GUI thread, which
/// may cancel it at any moment: before, while and after it is started.
class ActiveRun {
public:
    struct Result {
        Status status = Status::Failed;
        std::string text;  ///< the report, or the issues that refused it
        bool hasBegun = false;
    };

    EventBuffer& buffer() { return buffer_; }

    /// Starts the run and returns when the module says that it is over.
    [[nodiscard]] Result carryOut(Runner& runner,
                                  const std::string& graph,
                                  const std::string& options);
    /// Does not wait.
    void cancel(Runner& runner, CancelMode mode);

private:
    [[nodiscard]] bool isCancelled();
    void setStarted(Runner& runner, RunId run);

    EventBuffer buffer_;
    std::mutex mutex_;
    CancelMode asked_ = CancelMode::No;
    bool isStarted_ = false;
    RunId run_ = 0;
};

}  // namespace lowtide::ui
