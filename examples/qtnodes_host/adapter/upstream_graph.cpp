#include "examples/qtnodes_host/adapter/upstream_graph.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::qtnodes_host {

namespace {

/// Depth first without recursion: canvases may be deep.
class Upstream {
public:
    UpstreamGraph from(std::vector<StatePtr> open) {
        while (!open.empty()) {
            const StatePtr node = open.back();
            open.pop_back();
            if (!ids_.contains(node.get())) {
                take(node);
                for (size_t i = node->desc().inputs.size(); i-- > 0;) {
                    if (StatePtr source = node->sourceNode(i)) {
                        open.push_back(std::move(source));
                    }
                }
            }
        }
        link();
        return std::move(result_);
    }

private:
    void take(const StatePtr& node) {
        std::string id = node->desc().id;
        std::ranges::replace(id, '.', '_');  // a dot parts node and parameter in the command
        const int number = ++counts_[id];
        if (number > 1) {
            id += "_" + std::to_string(number);
        }
        ids_[node.get()] = id;
        result_.document.nodes[id] = node->node();
        result_.nodes[id] = node;
    }

    void link() {
        for (const auto& [id, node] : result_.nodes) {
            for (size_t i = 0; i < node->desc().inputs.size(); ++i) {
                if (const StatePtr source = node->sourceNode(i)) {
                    const PortDesc& output = source->desc().outputs.at(node->sourceOutput(i));
                    result_.document.links.push_back({.from = {ids_.at(source.get()), output.id},
                                                      .to = {id, node->desc().inputs[i].id}});
                }
            }
        }
        std::ranges::sort(result_.document.links, {}, &graph::Link::to);
    }

    UpstreamGraph result_;
    std::map<const NodeState*, std::string> ids_;
    std::map<std::string, int> counts_;
};

}  // namespace

std::string UpstreamGraph::idOf(const NodeState& node) const {
    const auto found =
        std::ranges::find_if(nodes, [&](const auto& entry) { return entry.second.get() == &node; });
    return found == nodes.end() ? std::string() : found->first;
}

UpstreamGraph upstreamGraph(std::span<const StatePtr> canvas) {
    std::vector<StatePtr> sinks;
    std::ranges::copy_if(
        canvas, std::back_inserter(sinks), [](const auto& node) { return node->desc().output; });
    std::ranges::reverse(sinks);  // the walk takes the last one first
    return Upstream().from(std::move(sinks));
}

}  // namespace lowtide::qtnodes_host
