#pragma once

#include "plugin/base/json.hpp"
#include "plugin/host_api/runner.hpp"

#include <set>
#include <string>

namespace lowtide::cli {

/// Prints issues on standard error: errors always, others once, however many runs repeat them.
class PrintedIssues {
public:
    void print(const Json& issues);

private:
    std::set<std::string> printed_;
};

/// What a run left: its status and the report, or the issues that refused it.
struct EndedRun {
    Status status = Status::Failed;
    Json report;
};

/// Runs a graph to its end and shows its events: as JSON lines on standard output, or on a progress
/// line. Warnings about the graph are printed before. Ctrl-C (catchInterrupts) asks the run to stop
/// now. Within a memory budget, of the options or the graph, the process gives big blocks back from
/// here on.
[[nodiscard]] EndedRun runToEnd(Runner& runner,
                                const std::string& graph,
                                const Json& options,
                                PrintedIssues& printed,
                                bool eventLines);

}  // namespace lowtide::cli
