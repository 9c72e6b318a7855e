#include "cli/run_session.hpp"

#include "cli/commands.hpp"
#include "cli/event_queue.hpp"
#include "cli/os.hpp"
#include "cli/progress_line.hpp"
#include "ui/loader/os.hpp"

#include <cstdio>

namespace lowtide::cli {

namespace {

constexpr std::chrono::milliseconds kPatience{50};

bool hasBudget(const std::string& graph, const Json& options) {
    return options.contains("memoryBudget") ||
           Json::parse(graph, nullptr, false).contains("memory_budget");
}

/// Shows events until the run has finished; Ctrl-C asks to stop now.
void follow(Runner& runner, RunId run, EventQueue& queue, bool eventLines) {
    ProgressLine line;
    bool asked = false;
    for (;;) {
        if (!asked && interruptCount() > 0) {
            asked = true;
            runner.cancel(run, CancelMode::Now);
        }
        const std::optional<std::string> text = queue.next(kPatience);
        if (!text) {
            continue;
        }
        const Json event = Json::parse(*text);
        if (eventLines) {
            std::printf("%s\n", text->c_str());
            std::fflush(stdout);
        } else {
            line.show(event);
        }
        if (event.value("event", std::string()) == "runFinished") {
            return;
        }
    }
}

}  // namespace

void PrintedIssues::print(const Json& issues) {
    Json some = Json::array();
    for (const Json& issue : issues) {
        const bool isNew = printed_.insert(issue.dump()).second;
        if (isNew || issue.value("severity", std::string("error")) == "error") {
            some.push_back(issue);
        }
    }
    printIssues(some);
}

EndedRun runToEnd(Runner& runner,
                  const std::string& graph,
                  const Json& options,
                  PrintedIssues& printed,
                  bool eventLines) {
    if (hasBudget(graph, options)) {
        loader::returnBigBlocks();
    }
    EventQueue queue;
    RunId run = 0;
    std::string result;
    Status status = runner.start(graph, options.dump(), queue, run, result);
    if (status == Status::Ok) {
        printed.print(Json::parse(result).at("issues"));
        follow(runner, run, queue, eventLines);
        status = runner.wait(run, result);
        if (const size_t missed = queue.missedCount(); eventLines && missed > 0) {
            std::fprintf(stderr,
                         "lowtide: %zu events were left out: what reads them is slower than the "
                         "run\n",
                         missed);
        }
    }
    return {.status = status, .report = Json::parse(result)};
}

}  // namespace lowtide::cli
