#include "plugin/graph/key.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/hash.hpp"
#include "plugin/graph/param_value.hpp"

namespace lowtide::graph {

namespace {

void addParams(Hasher& hasher, const SnapshotNode& node) {
    for (const auto& [id, value] : node.params) {
        if (!findParam(*node.desc, id)->cosmetic) {
            hasher.add("param").add(id).add(canonicalText(value));
        }
    }
}

/// What of a device decides about bits; its id where nobody said.
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
