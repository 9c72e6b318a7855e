#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/executor/node.hpp"

#include <functional>
#include <string>
#include <vector>

namespace lowtide::nodes {

/// "conditioning.combine": both prompts speak, their predictions are averaged.
[[nodiscard]] executor::NodeType combineNode(Stages& stages);
/// "conditioning.concat": one prompt with the tokens of both.
[[nodiscard]] executor::NodeType concatNode(Stages& stages);
/// "conditioning.average": one prompt between both.
[[nodiscard]] executor::NodeType averageNode(Stages& stages);
/// "conditioning.area": a prompt for a rectangle.
[[nodiscard]] executor::NodeType areaNode(Stages& stages);
/// "conditioning.time_range": a prompt for a part of the steps.
[[nodiscard]] executor::NodeType timeRangeNode(Stages& stages);

/// Ports "first" and "second", or "conditioning" alone.
[[nodiscard]] std::vector<PortDesc> joinedInputs(std::string firstTooltip,
                                                 std::string secondTooltip);
[[nodiscard]] std::vector<PortDesc> restrictedInputs();
[[nodiscard]] std::vector<PortDesc> conditioningOutputs();

/// The edit that a node's parameters say, without wires.
using EditOf = std::function<ConditioningEdit(const executor::Params&)>;

/// A node that edits what comes in by the ports of `desc`.
[[nodiscard]] executor::NodeType conditioningNode(Stages& stages, NodeDesc desc, EditOf editOf);

}  // namespace lowtide::nodes
