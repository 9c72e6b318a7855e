#pragma once
// One evaluation of a graph: plan, begin, nodes in order, end; with the peaks of each node and of
// the run.

#include "plugin/base/issue.hpp"
#include "plugin/executor/events.hpp"
#include "plugin/executor/kept_values.hpp"
#include "plugin/executor/memory_relief.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/executor/run_options.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/executor/wires.hpp"
#include "plugin/memory/ledger.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lowtide::executor {

/// Peaks of each node and of the whole run: the ledger knows only the peaks since the last reset.
class PeakTracker {
public:
    explicit PeakTracker(memory::Ledger& ledger) : ledger_(ledger) {}

    void beginNode();
    /// The most that `device` held since beginNode.
    [[nodiscard]] Bytes endNode(std::string_view device);
    /// What the devices hold now, with the peaks of the whole run.
    [[nodiscard]] std::map<std::string, memory::DeviceLedger, std::less<>> snapshot();

private:
    void absorb();

    memory::Ledger& ledger_;
    std::map<std::string, memory::DeviceLedger, std::less<>> highest_;
};

/// What the repetitions of a run share.
struct RunSetting {
    const graph::Snapshot& snapshot;
    const RunOptions& options;
    const GraphSpec& graphSpec;
    const RunDevices& devices;
    std::vector<std::string> resultKeys;
    std::vector<std::string> deviceIds;
    const NodeTypes& types;
    memory::Engine& engine;
    ResultCache& cache;
    Collections& collections;
    KeptValues& kept;
    WorkPaces& paces;
    DryRunCache& dryRuns;
    RunHooks& hooks;
    EventSink& events;
    StopToken stop;
};

/// One evaluation of a graph: plan, begin, nodes in order, end. The devices are given back in every
/// case.
class Repetition {
public:
    Repetition(const RunSetting& setting, int number, RunReport& report);

    /// What ended it early, after everything was released.
    [[nodiscard]] std::optional<Issue> run();

private:
    std::optional<Issue> evaluate();
    [[nodiscard]] std::optional<Issue> checkOutputs(const std::vector<size_t>& order) const;
    std::variant<memory::Plan, Issue> decide(memory::PlanRequest& request);
    void release(const std::vector<memory::KeptComponent>& leaving);
    [[nodiscard]] PlanBasis basis() const;
    std::optional<Issue> runPlanned(const std::vector<size_t>& order);
    std::optional<Issue> runNodes(const std::vector<size_t>& order, Wires& wires);
    std::optional<Issue> recover(memory::NodeIndex index, Issue issue);
    std::optional<Issue> runNode(memory::NodeIndex index, size_t position, Wires& wires);
    void select();
    void requireConsistentAccounting() const;
    void keepValue(size_t position, const Wires::Outputs& outputs);
    void collectAfter(size_t position, const std::vector<size_t>& usedUp);
    void collectAt(const std::string& point, size_t position);
    void reportKept();
    void addIssue(Issue issue);
    void reportCached(const Selection& selection);
    void reportFiles(const std::string& node, const std::vector<std::string>& files);

    const RunSetting& setting_;
    int number_;
    RunReport& report_;
    PeakTracker peaks_;
    Selection selection_;
    std::vector<memory::DeviceSpec> devices_;  ///< per node: where it computes
    std::optional<Recovery> recovery_;
    bool isHandingOver_ =
        false;  ///< the running node's values go to the wires: it cannot run again
};

}  // namespace lowtide::executor
