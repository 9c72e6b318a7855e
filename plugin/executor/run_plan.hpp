#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/executor/graph_spec.hpp"
#include "plugin/executor/plan_memory.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/executor/run_options.hpp"
#include "plugin/memory/engine.hpp"
#include "plugin/memory/plan.hpp"

#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lowtide::executor {

/// The devices of a run, opened: its own, those that policies name, and always the host, which
/// holds values and pins whatever computes.
struct RunDevices {
    memory::DeviceSpec main;  ///< for policies that name none
    std::vector<memory::PlanDevice> opened;
    std::vector<memory::DeviceInfo> infos;

    [[nodiscard]] std::vector<std::string> ids() const;
};

/// What plans are made of in addition to the graph. Run thread only.
struct PlanBasis {
    memory::Engine& engine;
    const ResultCache& cache;  ///< its results go before a run is refused
    const WorkPaces& paces;
    DryRunCache& dryRuns;
    StopToken stop{};  ///< ends what asks for a plan
};

/// The device of nodes whose policies name none; "cuda:0" where a card is planned for.
[[nodiscard]] memory::DeviceSpec mainDeviceOf(const graph::Snapshot& snapshot,
                                              const RunOptions& options);

/// The snapshot with the cards on which its nodes will compute: the one that is planned for, else
/// this machine's; `capabilities` are those of its cards, by device id.
[[nodiscard]] std::shared_ptr<const graph::Snapshot> withRunDevices(
    std::shared_ptr<const graph::Snapshot> snapshot,
    const RunOptions& options,
    const std::map<std::string, int>& capabilities);

/// Opens the run's device, those of the nodes' policies, and the host; a card that is planned for
/// is opened by nobody. Stated budgets bound capacities; those of devices that the run does not use
/// have no effect. An issue names the node whose device cannot be had. Run thread only.
[[nodiscard]] std::variant<RunDevices, Issue> openDevices(const graph::Snapshot& snapshot,
                                                          const RunOptions& options,
                                                          memory::Engine& engine);

/// What of the devices decides about bits, for keys.
[[nodiscard]] graph::DeviceTexts numericsTexts(const RunDevices& devices);

/// What the plan is made of: the nodes at `positions`, their work on shapes, what lies on wires and
/// devices. The issue is pinned to the node whose shapes cannot be.
[[nodiscard]] std::variant<memory::PlanRequest, Issue> requestPlan(
    const graph::Snapshot& snapshot,
    const GraphSpec& graphSpec,
    std::span<const size_t> positions,
    const RunDevices& devices,
    const RunOptions& options,
    const PlanBasis& basis);

/// What lies on the devices of the request now: results that may go and kept components among it.
void renewHeld(memory::PlanRequest& request, const PlanBasis& basis);

/// As memory::makePlan; the issue of what does not fit is memory_infeasible, with the node, the
/// bytes that it needs and the cheapest change.
[[nodiscard]] std::variant<memory::Plan, Issue> decidePlan(const memory::PlanRequest& request);

/// The memory plan of the nodes at `positions`; a plan's NodeIndex counts along that list. The
/// issue of a run that does not fit is memory_infeasible, with the node, the bytes that it needs
/// and the cheapest change. The precisions of the specs are settled.
[[nodiscard]] std::variant<memory::Plan, Issue> planRun(const graph::Snapshot& snapshot,
                                                        GraphSpec& graphSpec,
                                                        std::span<const size_t> positions,
                                                        const RunDevices& devices,
                                                        const RunOptions& options,
                                                        const PlanBasis& basis);

[[nodiscard]] Json toJson(const std::vector<memory::DeviceInfo>& devices);

}  // namespace lowtide::executor
