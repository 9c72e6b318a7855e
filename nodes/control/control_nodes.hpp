#pragma once

#include "plugin/executor/node.hpp"

#include <vector>

namespace lowtide::nodes {
class Stages;
}

namespace lowtide::nodes {

/// "control.apply": a hint picture for a ControlNet.
[[nodiscard]] executor::NodeType applyControlNode(Stages& stages);
/// "control.ip_adapter": pictures for an IP-Adapter.
[[nodiscard]] executor::NodeType applyIpAdapterNode(Stages& stages);
/// "control.canny": the edges of pictures.
[[nodiscard]] executor::NodeType cannyNode(Stages& stages);
/// "control.offload": components leave their devices now.
[[nodiscard]] executor::NodeType offloadNode(Stages& stages);
/// "control.gc": a collection of memory that nobody uses.
[[nodiscard]] executor::NodeType collectNode();
/// "control.result_cache": the value that passes is kept between runs.
[[nodiscard]] executor::NodeType resultCacheNode();

/// The ports of control nodes: what goes in by "value" comes out unchanged.
[[nodiscard]] std::vector<PortDesc> passingInputs();
[[nodiscard]] std::vector<PortDesc> passingOutputs();
/// The optional input "model", which says whose networks are meant.
[[nodiscard]] PortDesc modelInput(std::string tooltip);

/// The outline of a node that passes its value on.
[[nodiscard]] executor::WorkOutline passingOutline(const executor::OutlineContext& context);
void passOn(executor::Context& context);

}  // namespace lowtide::nodes
