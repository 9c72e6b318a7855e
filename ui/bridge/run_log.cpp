#include "ui/bridge/run_log.hpp"

#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "ui/bridge/answer.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::ui {

namespace {

Level levelOf(const QueuedRun& run) {
    const bool hasWarning = std::any_of(run.issues.begin(), run.issues.end(), [](const auto& each) {
        return each.severity == Severity::Warning;
    });
    return run.state == RunState::Failed ? Level::Error : hasWarning ? Level::Warning : Level::Info;
}

std::string stateWord(RunState state) {
    return state == RunState::Finished ? "finished"
           : state == RunState::Failed ? "failed"
                                       : "cancelled";
}

}  // namespace

std::string endText(const QueuedRun& run) {
    std::string text = "run " + std::to_string(run.id) + ": " + stateWord(run.state) + " after " +
                       formatNumber(std::round(run.milliseconds / 100) / 10) + " s";
    if (run.executed >= 0) {
        text += ", nodes executed: " + std::to_string(run.executed);
    }
    if (!run.files.isEmpty()) {
        text += ", files written: " + std::to_string(run.files.size());
    }
    for (const Issue& issue : run.issues) {
        if (issue.severity != Severity::Info) {
            text += "; " + (issue.node.empty() ? "" : issue.node + ": ") + issue.message.str();
        }
    }
    return text;
}

RunLog::RunLog(const RunQueue& queue, QObject* parent) : QObject(parent), queue_(queue) {
    connect(&queue_, &RunQueue::started, this, &RunLog::reportBegin);
    connect(&queue_, &RunQueue::ended, this, &RunLog::reportEnd);
    connect(&queue_, &RunQueue::takenBack, this, [](const std::vector<quint64>& ids) {
        log(Level::Info, "runs taken back before they began: " + std::to_string(ids.size()));
    });
}

void RunLog::reportBegin(quint64 id) {
    const QueuedRun* run = queue_.find(id);
    if (!run) {
        return;
    }
    const std::string device = textIn(run->options, "device");
    const std::string budget = textIn(run->options, "memoryBudget");
    log(Level::Info,
        "run " + std::to_string(id) + " begins" + (device.empty() ? "" : " on " + device) +
            (budget.empty() ? "" : ", budget " + budget));
}

void RunLog::reportEnd(quint64 id) {
    if (const QueuedRun* run = queue_.find(id)) {
        log(levelOf(*run), endText(*run));
    }
}

}  // namespace lowtide::ui
