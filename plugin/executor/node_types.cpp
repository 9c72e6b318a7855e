#include "plugin/executor/node_types.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::executor {

namespace {

std::vector<NodeDesc> descriptions(const std::vector<NodeType>& types) {
    std::vector<NodeDesc> descs;
    for (const NodeType& type : types) {
        if (!type.outline || !type.run) {
            throw Error(ErrorKind::Internal,
                        "node type " + type.desc.id + " has no outline() or no run()");
        }
        descs.push_back(type.desc);
    }
    return descs;
}

std::map<std::string, NodeType> byId(std::vector<NodeType> types) {
    std::map<std::string, NodeType> map;
    for (NodeType& type : types) {
        std::string id = type.desc.id;
        map.emplace(std::move(id), std::move(type));
    }
    return map;
}

}  // namespace

NodeTypes::NodeTypes(std::vector<NodeType> types)
    : types_(byId(types)), catalog_(descriptions(types)) {}

const NodeType& NodeTypes::of(const NodeDesc& desc) const {
    return types_.at(desc.id);
}

}  // namespace lowtide::executor
