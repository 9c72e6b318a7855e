#include "examples/qtnodes_host/adapter/node_state.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"

#include <algorithm>

namespace lowtide::qtnodes_host {

namespace {

constexpr const char* kOnly = "node";  ///< the one id in the document that holds a saved node

bool isTypeOf(const std::string& name, const NodeDesc& desc) {
    return name == desc.id || std::ranges::find(desc.aliases, name) != desc.aliases.end();
}

}  // namespace

NodeState::NodeState(const NodeDesc& desc) : desc_(desc), sources_(desc.inputs.size()) {
    node_.type = desc.id;
    node_.version = desc.version;
    for (const ParamDesc& param : desc.params) {
        if (Json value = graph::toJson(param.defaultValue); !value.is_null()) {
            node_.params[param.id] = std::move(value);
        }
    }
}

void NodeState::connect(size_t input, Handle source) {
    if (input < sources_.size()) {
        sources_[input] = std::move(source);
    }
}

std::shared_ptr<const NodeState> NodeState::sourceNode(size_t input) const {
    return sources_.at(input).node.lock();
}

std::string NodeState::save() const {
    graph::Document document;
    document.nodes.emplace(kOnly, node_);
    return graph::toJson(document).at("nodes").at(kOnly).dump();
}

void NodeState::load(std::string_view text) {
    const Json json = {{"format", graph::kDocumentFormat},
                       {"nodes", {{kOnly, parseJson(text, "saved node")}}}};
    graph::DocumentNode node = graph::documentFromJson(json).nodes.at(kOnly);
    if (!isTypeOf(node.type, desc_)) {
        throw Error(ErrorKind::Corrupt,
                    message("the saved values of a node {} belong to a node {}",
                            desc_.id,
                            quotedName(node.type)));
    }
    node_ = std::move(node);
}

const NodeDesc* showingNode(std::span<const NodeDesc> nodes) {
    const auto shows = [](const NodeDesc& desc) {
        return desc.output && desc.params.empty() && desc.inputs.size() == 1 &&
               desc.inputs[0].type == "IMAGE";
    };
    const auto found = std::ranges::find_if(nodes, shows);
    return found == nodes.end() ? nullptr : &*found;
}

}  // namespace lowtide::qtnodes_host
