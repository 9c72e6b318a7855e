#pragma once

#include <memory>
#include <string>

#include "examples/qtnodes_host/adapter/node_state.hpp"

namespace lowtide::qtnodes_host {

/// The wire type of an output. What a control node passes on has the type of what arrives there;
/// "*" while that is not known, or the node is gone.
[[nodiscard]] std::string typeOf(const Handle& output);

/// Whether a value of the first type may arrive at an input of the second; "*" takes and gives any.
[[nodiscard]] bool isCompatible(const std::string& outputType, const std::string& inputType);

/// Whether `node` is `start` or feeds it, directly or through others.
[[nodiscard]] bool feeds(const NodeState& node, const NodeState& start);

/// Whether a wire from `output` to that input is possible: both ports exist, the types fit and the
/// node would not feed itself. That the input is free is the host's affair.
[[nodiscard]] bool mayConnect(const Handle& output, const NodeState& to, size_t input);

}  // namespace lowtide::qtnodes_host
