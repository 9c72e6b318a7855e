#pragma once

#include "plugin/base/json.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/host.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::qtnodes_host {

class NodeState;

/// One output of one node: what travels on a host's wire. It never changes, so an edit of the node
/// sends nothing downstream; the values are read when a run walks back.
struct Handle {
    std::weak_ptr<const NodeState> node;
    size_t output = 0;
};

/// A node on a host's canvas: its description, what a user set, and the handles that arrived at
/// its inputs.
class NodeState {
public:
    /// `desc` must outlive the state. Parameters start with their defaults.
    explicit NodeState(const NodeDesc& desc);

    [[nodiscard]] const NodeDesc& desc() const { return desc_; }

    /// The part of a graph document that describes this node.
    [[nodiscard]] const graph::DocumentNode& node() const { return node_; }

    void setParam(const std::string& id, Json value) { node_.params[id] = std::move(value); }

    void setMemory(Json memory) { node_.memory = std::move(memory); }

    void setPosition(double x, double y) { node_.position = {x, y}; }

    /// A port that the node does not have is ignored: hosts restore wires from files.
    void connect(size_t input, Handle source);

    void disconnect(size_t input) { connect(input, {}); }

    /// nullptr: nothing is connected, or its node is gone.
    [[nodiscard]] std::shared_ptr<const NodeState> sourceNode(size_t input) const;

    [[nodiscard]] size_t sourceOutput(size_t input) const { return sources_.at(input).output; }

    /// The node as one JSON text, for the host's file; 64-bit seeds survive.
    [[nodiscard]] std::string save() const;
    /// Takes what save() gave, verbatim. Error{Corrupt} names what is wrong and leaves the state.
    void load(std::string_view text);

private:
    const NodeDesc& desc_;
    graph::DocumentNode node_;
    std::vector<Handle> sources_;
};

/// The description of the node that shows images and does nothing else: an output node whose one
/// input is an image and which has no parameters. nullptr when there is none.
[[nodiscard]] const NodeDesc* showingNode(std::span<const NodeDesc> nodes);

}  // namespace lowtide::qtnodes_host
