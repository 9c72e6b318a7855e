#pragma once

#include "plugin/base/issue.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/memory/plan.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lowtide::executor {

/// What the nodes of a snapshot stated before the run, in its order.
struct GraphSpec {
    std::vector<NodeSpec> work;
    std::vector<std::string> keys;  ///< result keys (graph::makeKeys)
    /// By node that runs a network; by "node.component" where it runs several.
    Json precisions = Json::object();
    std::string precisionText = "{}";  ///< the same as images keep it
    /// Marks on nodes: a warning where choices go badly together, a note ("lossy") where a result
    /// is not that of f32 and of every step.
    Issues marks{};
};

/// What a node states about an output; nullptr: nothing.
[[nodiscard]] const ValueSpec* outputOf(const NodeSpec& work, std::string_view port);

/// Asks every node for its spec, sources first; no device is touched and no weight is read.
/// The issue of the first node that refuses is pinned to it; so is a spec that leaves out an
/// output, and a lossy choice in an exact snapshot. `stop` is asked before each node.
[[nodiscard]] std::variant<GraphSpec, Issue> makeGraphSpec(const graph::Snapshot& snapshot,
                                                           const NodeTypes& types,
                                                           std::string_view graphFolder,
                                                           std::string_view numerics,
                                                           const graph::DeviceTexts& devices = {},
                                                           const StopToken& stop = {});

/// Renews what `precisions` states about the nodes at `positions`, whose networks `request` has
/// opened: how they lie where their files are quantised, and what that takes.
void settlePrecisions(Json& precisions,
                      const graph::Snapshot& snapshot,
                      const GraphSpec& graphSpec,
                      std::span<const size_t> positions,
                      const memory::PlanRequest& request);

/// Opens the networks of every node, as a run would whose results are none of them kept; the issue
/// of the first that cannot be.
[[nodiscard]] std::optional<Issue> openComponents(const graph::Snapshot& snapshot,
                                                  const GraphSpec& graphSpec,
                                                  const StopToken& stop = {});

}  // namespace lowtide::executor
