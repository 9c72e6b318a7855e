#include "plugin/graph/catalog.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/param_value.hpp"

#include <algorithm>

namespace lowtide::graph {

namespace {

template <typename Item>
const Item* findById(const std::vector<Item>& items, std::string_view id) {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.id == id; });
    return found == items.end() ? nullptr : &*found;
}

void normaliseDefault(const NodeDesc& node, ParamDesc& param) {
    if (std::holds_alternative<std::monostate>(param.defaultValue)) {
        return;
    }
    const ParamCheck check = checkParam(param, toJson(param.defaultValue));
    if (const auto* refusal = std::get_if<ParamRefusal>(&check)) {
        throw Error(
            ErrorKind::Internal,
            "node type " + node.id + ": the default of \"" + param.id + "\" " + refusal->reason);
    }
    param.defaultValue = std::get<Scalar>(check);
}

}  // namespace

Catalog::Catalog(std::vector<NodeDesc> nodes) : nodes_(std::move(nodes)) {
    for (size_t index = 0; index < nodes_.size(); ++index) {
        NodeDesc& node = nodes_[index];
        publish(node.id, index);
        for (const std::string& alias : node.aliases) {
            publish(alias, index);
        }
        for (ParamDesc& param : node.params) {
            normaliseDefault(node, param);
        }
    }
}

void Catalog::publish(const std::string& name, size_t index) {
    if (name.empty() || !byName_.emplace(name, index).second) {
        throw Error(ErrorKind::Internal,
                    "the node name \"" + name + "\" of " + nodes_[index].id +
                        " is empty or taken by another node type");
    }
}

const NodeDesc* Catalog::find(std::string_view idOrAlias) const {
    const auto found = byName_.find(idOrAlias);
    return found == byName_.end() ? nullptr : &nodes_[found->second];
}

void Catalog::reword(const std::function<void(NodeDesc&)>& words) {
    for (NodeDesc& node : nodes_) {
        words(node);
    }
}

std::vector<std::string> Catalog::ids() const {
    std::vector<std::string> ids;
    for (const NodeDesc& node : nodes_) {
        ids.push_back(node.id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

std::string Catalog::nearest(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& [known, index] : byName_) {
        names.push_back(known);
    }
    return nearestName(name, names);
}

const ParamDesc* findParam(const NodeDesc& desc, std::string_view id) {
    return findById(desc.params, id);
}

const PortDesc* findInput(const NodeDesc& desc, std::string_view id) {
    return findById(desc.inputs, id);
}

const PortDesc* findOutput(const NodeDesc& desc, std::string_view id) {
    return findById(desc.outputs, id);
}

const PortDesc* passedInput(const NodeDesc& desc, std::string_view output) {
    for (size_t index = 0; index < desc.outputs.size(); ++index) {
        const PortDesc& port = desc.outputs[index];
        if (port.id != output) {
            continue;
        }
        if (index < desc.inputs.size() && desc.inputs[index].type == port.type) {
            return &desc.inputs[index];
        }
        const auto found =
            std::find_if(desc.inputs.begin(), desc.inputs.end(), [&](const PortDesc& input) {
                return input.type == port.type;
            });
        return found == desc.inputs.end() ? nullptr : &*found;
    }
    return nullptr;
}

}  // namespace lowtide::graph
