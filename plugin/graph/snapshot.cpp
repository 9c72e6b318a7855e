#include "plugin/graph/snapshot.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/graph/issues.hpp"
#include "plugin/graph/param_value.hpp"
#include "plugin/graph/preset.hpp"
#include "plugin/graph/wiring.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::graph {

/// The pulled nodes in an order in which each comes after its sources. Of the ready nodes goes
/// first: an output that runs no network, then one that runs the networks of the last stage on the
/// same model, then one that runs none, then one of the same model, then any; equal ones by id. So
/// no component is switched needlessly. The pulled nodes must have no circle and known types.
[[nodiscard]] std::vector<std::string> orderNodes(const Document& document,
                                                  const Catalog& catalog,
                                                  const Wiring& wiring);

namespace {

/// The networks that a node runs and the model that they come from; empty when it runs none.
struct Stage {
    std::string model;
    std::vector<std::string> components;

    auto operator<=>(const Stage&) const = default;
};

class Ordering {
public:
    Ordering(const Document& document, const Catalog& catalog, const Wiring& wiring)
        : wiring_(wiring) {
        for (const std::string& node : wiring.pulled()) {
            descs_[node] = catalog.find(document.nodes.at(node).type);
            const auto& sources = wiring.sources(node);
            waitingFor_[node] = sources.size();
            for (const auto& [port, source] : sources) {
                consumers_[source.node].push_back(node);
            }
            if (sources.empty()) {
                makeReady(node);
            }
        }
    }

    std::vector<std::string> run() {
        std::vector<std::string> order;
        while (std::optional<std::string> next = takeNext()) {
            for (const std::string& consumer : consumers_[*next]) {
                if (--waitingFor_[consumer] == 0) {
                    makeReady(consumer);
                }
            }
            order.push_back(std::move(*next));
        }
        LOWTIDE_ASSERT(order.size() == descs_.size());
        return order;
    }

private:
    using Ready = std::set<std::string>;

    void makeReady(const std::string& node) {
        const NodeDesc& desc = *descs_[node];
        models_[node] = modelOf(node);
        if (!desc.components.empty()) {
            networks_[{models_[node], desc.components}].insert(node);
        } else {
            (desc.output ? outputs_ : others_).insert(node);
        }
    }

    /// The first output upstream that makes a model instead of passing one on: two patched models
    /// of one checkpoint count as one. Sources have their answer already.
    std::string modelOf(const std::string& node) {
        for (const PortDesc& input : descs_[node]->inputs) {
            const PortRef* source = wiring_.source({node, input.id});
            if (source && isModel(wiring_.typeOf(*source))) {
                const std::string& root = models_[source->node];
                return root.empty() ? source->node + "\n" + source->port : root;
            }
        }
        return {};
    }

    std::optional<std::string> takeNext() {
        if (!outputs_.empty()) {
            return takeFirst(outputs_);
        }
        if (const auto same = networks_.find(last_); same != networks_.end()) {
            return takeStage(same);
        }
        if (!others_.empty()) {
            return takeFirst(others_);
        }
        auto best = networks_.end();
        for (auto stage = networks_.begin(); stage != networks_.end(); ++stage) {
            if (best == networks_.end() || precedes(*stage, *best)) {
                best = stage;
            }
        }
        return best == networks_.end() ? std::nullopt : std::optional(takeStage(best));
    }

    /// Whether the nodes of stage `a` go before those of `b`: the last stage's model first, then by
    /// id.
    bool precedes(const std::pair<const Stage, Ready>& a,
                  const std::pair<const Stage, Ready>& b) const {
        const bool sameA = a.first.model == last_.model;
        const bool sameB = b.first.model == last_.model;
        return sameA != sameB ? sameA : *a.second.begin() < *b.second.begin();
    }

    static std::string takeFirst(Ready& ready) {
        return std::move(ready.extract(ready.begin()).value());
    }

    std::string takeStage(std::map<Stage, Ready>::iterator stage) {
        last_ = stage->first;
        std::string node = takeFirst(stage->second);
        if (stage->second.empty()) {
            networks_.erase(stage);
        }
        return node;
    }

    /// Types of wires that carry networks.
    static bool isModel(std::string_view type) { return type == "MODEL" || type == "UPSCALER"; }

    const Wiring& wiring_;
    std::map<std::string, const NodeDesc*> descs_;
    std::map<std::string, std::string> models_;
    std::map<std::string, size_t> waitingFor_;
    std::map<std::string, std::vector<std::string>> consumers_;
    Ready outputs_;  ///< ready outputs that run no network
    Ready others_;   ///< other ready nodes that run none
    std::map<Stage, Ready> networks_;
    Stage last_;
};

}  // namespace

std::vector<std::string> orderNodes(const Document& document,
                                    const Catalog& catalog,
                                    const Wiring& wiring) {
    return Ordering(document, catalog, wiring).run();
}

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

/// "models/dream/" -> "dream": images do not carry the folders of the machine they were made on.
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

std::string imageText(Document document,
                      const Catalog& catalog,
                      const std::vector<SnapshotNode>& nodes) {
    for (const SnapshotNode& node : nodes) {
        Json& params = document.nodes.at(node.id).params;
        for (const ParamDesc& param : node.desc->params) {
            params[param.id] = toJson(node.params.at(param.id));
        }
    }
    dropFolders(document, catalog);
    document.extra.erase(kPresetKey);  // a thumbnail in every image would be too much
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
    snapshot->graphText = imageText(document, catalog, snapshot->nodes);
    return snapshot;
}

namespace {

void addParams(Hasher& hasher, const SnapshotNode& node) {
    for (const auto& [id, value] : node.params) {
        if (!findParam(*node.desc, id)->cosmetic) {
            hasher.add("param").add(id).add(canonicalText(value));
        }
    }
}

/// What of a device decides about bits; its id where nobody stated it.
std::string textOf(const memory::DeviceSpec& spec, const DeviceTexts& devices) {
    const auto found = devices.find(spec.id());
    return found == devices.end() ? spec.id() : found->second;
}

/// The device of the node and of each component that has its own. How a policy moves weights
/// changes no number.
void addDevices(Hasher& hasher, const memory::Policy& policy, const DeviceTexts& devices) {
    const auto main = devices.find("");
    hasher.add("device").add(policy.device           ? textOf(*policy.device, devices)
                             : main == devices.end() ? std::string()
                                                     : main->second);
    for (const auto& [role, entry] : policy.components) {
        if (entry.device) {
            hasher.add("component device").add(role).add(textOf(*entry.device, devices));
        }
    }
}

void addInputs(Hasher& hasher,
               const Snapshot& snapshot,
               const SnapshotNode& node,
               const std::vector<std::string>& keys) {
    for (const SnapshotInput& input : node.inputs) {
        const auto source = behindControl(snapshot, {input.sourceNode, input.sourcePort});
        if (source) {
            hasher.add("input").add(input.port).add(keys[source->node]).add(source->port);
        }
    }
}

}  // namespace

std::optional<SnapshotOutput> behindControl(const Snapshot& snapshot, SnapshotOutput output) {
    while (snapshot.nodes[output.node].desc->control) {
        const SnapshotNode& node = snapshot.nodes[output.node];
        const PortDesc* port = passedInput(*node.desc, output.port);
        const SnapshotInput* input = port ? node.input(port->id) : nullptr;
        if (!input) {
            return std::nullopt;
        }
        output = {input->sourceNode, input->sourcePort};
    }
    return output;
}

std::vector<std::string> makeKeys(const Snapshot& snapshot,
                                  std::span<const std::vector<std::string>> fingerprints,
                                  std::string_view numerics,
                                  const DeviceTexts& devices) {
    LOWTIDE_ASSERT(fingerprints.size() == snapshot.nodes.size());
    std::vector<std::string> keys;
    for (const SnapshotNode& node : snapshot.nodes) {
        if (node.desc->control && !node.desc->outputs.empty()) {
            const auto source =
                behindControl(snapshot, {keys.size(), node.desc->outputs.front().id});
            keys.push_back(source ? keys[source->node] : std::string());
            continue;
        }
        Hasher hasher;
        hasher.add(node.desc->id).add(static_cast<int64_t>(node.desc->version)).add(numerics);
        addParams(hasher, node);
        hasher.add("precision").add(memory::toJson(node.precision).dump());
        addDevices(hasher, node.policy, devices);
        addInputs(hasher, snapshot, node, keys);
        for (const std::string& fingerprint : fingerprints[keys.size()]) {
            hasher.add("fingerprint").add(fingerprint);
        }
        keys.push_back(hasher.hexDigest());
    }
    return keys;
}

}  // namespace lowtide::graph
