#pragma once

#include "plugin/executor/node.hpp"

#include <vector>

namespace lowtide::nodes {

class Stages;

/// The ports of control nodes: what goes in by "value" comes out unchanged.
[[nodiscard]] std::vector<PortDesc> passingInputs();
[[nodiscard]] std::vector<PortDesc> passingOutputs();
/// The optional input "model", which determines whose networks are meant.
[[nodiscard]] PortDesc modelInput(std::string tooltip);

/// The spec of a node that passes its value on.
[[nodiscard]] executor::NodeSpec passingSpec(const executor::SpecContext& context);
void passOn(executor::Context& context);

}  // namespace lowtide::nodes
