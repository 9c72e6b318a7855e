#include "plugin/graph/snapshot.hpp"

#include "plugin/base/error.hpp"
#include "plugin/graph/order.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/graph/preset.hpp"
#include "plugin/graph/validate.hpp"
#include "plugin/graph/wiring.hpp"

#include <algorithm>

namespace lowtide::graph {

namespace {

void refuseErrors(const Document& document, const Catalog& catalog) {
    for (const Issue& issue : validate(document, catalog)) {
        if (issue.severity == Severity::Error) {
            throw Error(ErrorKind::InvalidInput, issue.message, issue.hint, issue.item);
        }
    }
}

std::map<std::string, Scalar, std::less<>> paramsOf(const DocumentNode& node,
                                                    const NodeDesc& desc) {
    std::map<std::string, Scalar, std::less<>> params;
    for (const ParamDesc& param : desc.params) {
        const auto given = node.params.find(param.id);
        params[param.id] = given == node.params.end() ? param.defaultValue
                                                      : std::get<Scalar>(checkParam(param, *given));
    }
    return params;
}

/// "models/sd15/" -> "sd15": pictures do not carry the folders of the machine they were made on.
std::string lastPart(std::string path) {
    std::replace(path.begin(), path.end(), '\\', '/');
    while (path.ends_with('/')) {
        path.pop_back();
    }
    return path.substr(path.rfind('/') + 1);
}

bool isPath(const ParamDesc& param) {
    return param.kind == ParamKind::File || param.kind == ParamKind::Folder;
}

/// Nodes that nothing pulls are kept as they are, but for the folders in them.
void dropFolders(Document& document, const Catalog& catalog) {
    for (auto& [id, node] : document.nodes) {
        const NodeDesc* desc = catalog.find(node.type);
        for (const ParamDesc& param : desc ? desc->params : std::vector<ParamDesc>{}) {
            const auto value = node.params.find(param.id);
            if (isPath(param) && value != node.params.end() && value->is_string()) {
                *value = lastPart(value->get<std::string>());
            }
        }
    }
}

std::string pictureText(Document document,
                        const Catalog& catalog,
                        const std::vector<SnapshotNode>& nodes) {
    for (const SnapshotNode& node : nodes) {
        Json& params = document.nodes.at(node.id).params;
        for (const ParamDesc& param : node.desc->params) {
            params[param.id] = toJson(node.params.at(param.id));
        }
    }
    dropFolders(document, catalog);
    document.extra.erase(kPresetKey);  // a thumbnail in every picture would be too much
    return toJson(document).dump();
}

}  // namespace

const SnapshotInput* SnapshotNode::input(std::string_view port) const {
    const auto found = std::find_if(
        inputs.begin(), inputs.end(), [&](const SnapshotInput& each) { return each.port == port; });
    return found == inputs.end() ? nullptr : &*found;
}

std::shared_ptr<const Snapshot> makeSnapshot(const Document& document, const Catalog& catalog) {
    refuseErrors(document, catalog);
    const Wiring wiring(document, catalog);
    auto snapshot = std::make_shared<Snapshot>();
    std::map<std::string, size_t> positions;
    for (const std::string& id : orderNodes(document, catalog, wiring)) {
        const DocumentNode& source = document.nodes.at(id);
        SnapshotNode node{.id = id, .desc = catalog.find(source.type)};
        node.params = paramsOf(source, *node.desc);
        node.precision = memory::precisionFromJson(source.precision, "node " + id + ": precision");
        node.isWanted = wiring.isWanted(id);
        if (!source.memory.is_null()) {
            node.policy = memory::policyFromJson(source.memory, "node " + id + ": memory");
        }
        for (const auto& [port, from] : wiring.sources(id)) {
            node.inputs.push_back({port, positions.at(from.node), from.port});
        }
        positions[id] = snapshot->nodes.size();
        snapshot->nodes.push_back(std::move(node));
    }
    if (document.memoryBudget) {
        snapshot->memoryBudget = memory::parseMemoryBudget(*document.memoryBudget);
    }
    if (document.device) {
        snapshot->device = memory::parseDeviceSpec(*document.device);
    }
    if (document.collectionThreshold) {
        snapshot->collectionThreshold =
            memory::checkedThreshold(*document.collectionThreshold, "the graph's gc_threshold");
    }
    if (document.lowMemory) {
        snapshot->lowMemory = memory::parseLowMemory(*document.lowMemory);
    }
    snapshot->isExact = document.isExact.value_or(false);
    snapshot->graphText = pictureText(document, catalog, snapshot->nodes);
    return snapshot;
}

}  // namespace lowtide::graph
