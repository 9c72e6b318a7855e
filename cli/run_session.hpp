#pragma once

#include "cli/start_module.hpp"

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

/// Runs a graph to its end and shows its events: as JSON lines on standard output, or on a progress
/// line. The result is the report, or the issues that refused the run. Warnings about the graph are
/// printed before. Ctrl-C (catchInterrupts) asks the run to stop now. Within a memory budget, of
/// the options or the graph, the process gives big blocks back from here on.
[[nodiscard]] Answer runToEnd(Runner& runner,
                              const std::string& graph,
                              const Json& options,
                              PrintedIssues& printed,
                              bool eventLines);

/// The entry of a node that ran in the last repetition of a report.
[[nodiscard]] const Json& nodeEntry(const Json& report, const std::string& node);

}  // namespace lowtide::cli
