#include "cli/run_session.hpp"

#include "cli/commands.hpp"
#include "cli/os.hpp"
#include "cli/progress_line.hpp"
#include "plugin/base/error.hpp"
#include "service/followed_run.hpp"

#include <algorithm>
#include <cstdio>

namespace lowtide::cli {

namespace {

/// Shows a run on the terminal; Ctrl-C asks it to stop now.
class ShownRun final : public service::RunFollower {
public:
    ShownRun(PrintedIssues& printed, bool eventLines)
        : printed_(printed), eventLines_(eventLines) {}

    void accepted(const Json& issues) override { printed_.print(issues); }

    void event(const std::string& text, const Json& event) override {
        if (eventLines_) {
            std::printf("%s\n", text.c_str());
            std::fflush(stdout);
        } else {
            line_.show(event);
        }
    }

    CancelMode cancelMode() override {
        return interruptCount() > 0 ? CancelMode::Now : CancelMode::No;
    }

    void missed(size_t count) override {
        if (eventLines_) {
            std::fprintf(stderr,
                         "lowtide: %zu events were left out: what reads them is slower than the "
                         "run\n",
                         count);
        }
    }

private:
    PrintedIssues& printed_;
    const bool eventLines_;
    ProgressLine line_;
};

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

Answer runToEnd(Runner& runner,
                const std::string& graph,
                const Json& options,
                PrintedIssues& printed,
                bool eventLines) {
    ShownRun shown(printed, eventLines);
    return service::runToEnd(runner, graph, options, shown);
}

const Json& nodeEntry(const Json& report, const std::string& node) {
    const Json& nodes = report.at("repetitions").back().at("nodes");
    const auto found =
        std::ranges::find_if(nodes, [&](const Json& entry) { return entry.at("node") == node; });
    LOWTIDE_ASSERT(found != nodes.end());
    return *found;
}

}  // namespace lowtide::cli
