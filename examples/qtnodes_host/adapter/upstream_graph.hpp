#pragma once

#include "plugin/graph/document.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>

#include "examples/qtnodes_host/adapter/node_state.hpp"

namespace lowtide::qtnodes_host {

using StatePtr = std::shared_ptr<const NodeState>;

/// A graph that was read off a host's wires, and which of its ids is which node of the canvas.
struct UpstreamGraph {
    graph::Document document;
    std::map<std::string, StatePtr> nodes;

    /// The id of a node of the canvas; empty when the walk did not meet it.
    [[nodiscard]] std::string idOf(const NodeState& node) const;
};

/// The output nodes of a canvas and what they need, in the order in which the walk meets them:
/// inputs in the order of their ports. Ids contain the type ("denoise_sample", the second
/// "denoise_sample_2"), so the same canvas gives the same document.
[[nodiscard]] UpstreamGraph upstreamGraph(std::span<const StatePtr> canvas);

}  // namespace lowtide::qtnodes_host
