#include "plugin/memory/plan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <map>

namespace lowtide::memory {

namespace {

constexpr const char* kAuto = "auto";

const PlannerType* plannerNamed(std::string_view name) {
    const auto all = planners();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& type) { return type.name == name; });
    return found == all.end() ? nullptr : &*found;
}

void requireBuilt(const NodeWork& node, const Policy& policy) {
    if (policy.name == kAuto || plannerNamed(policy.name)) {
        return;
    }
    std::vector<std::string> names = {kAuto};
    for (const PlannerType& type : planners()) {
        names.push_back(type.name);
    }
    throw Error(ErrorKind::Unsupported,
                "node " + node.node + ": the memory policy \"" + policy.name +
                    "\" is not built into this version",
                "use " + join(names, ", "),
                "memory");
}

void refuseStream(const NodeWork& node, const Policy& policy) {
    if (policy.stream) {
        throw Error(ErrorKind::Unsupported,
                    "node " + node.node + ": the policy \"" + toText(policy) +
                        "\" streams, which is not built into this version",
                    "leave +stream out",
                    "memory");
    }
}

/// Collects what each component needs over the run, then lays out the arenas.
class PlanMaker {
public:
    explicit PlanMaker(const PlanRequest& request) : request_(request) {}

    std::variant<Plan, Infeasible> make() {
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            addUses(node);
        }
        resolveAuto();
        layOut();
        measureStages();
        if (const std::optional<Infeasible> refusal = firstTooLarge()) {
            return *refusal;
        }
        return std::move(plan_);
    }

private:
    const DeviceTraits& traitsOf(const DeviceSpec& spec) const {
        for (const auto& [device, traits] : request_.traits) {
            if (device.id() == spec.id()) {
                return traits;
            }
        }
        throw Error(ErrorKind::Internal, "the plan knows no traits of device " + spec.id());
    }

    void addUses(NodeIndex node) {
        const NodeWork& work = request_.nodes[node];
        for (const auto& tree : work.components) {
            Policy policy = work.policy.forComponent(tree->role);
            requireBuilt(work, policy);
            refuseStream(work, policy);
            const DeviceSpec device = policy.device.value_or(request_.device);
            const uint32_t index = componentOn(tree, device, node);
            PlannedComponent& component = plan_.components[index];
            component.lastNode = node;
            component.after = policy.after;
            plan_.uses.push_back({node, index, std::move(policy)});
        }
    }

    uint32_t componentOn(const std::shared_ptr<const ComponentTree>& tree,
                         const DeviceSpec& device,
                         NodeIndex node) {
        for (uint32_t index = 0; index < plan_.components.size(); ++index) {
            const PlannedComponent& known = plan_.components[index];
            if (known.tree->id == tree->id && known.device.id() == device.id()) {
                return index;
            }
        }
        PlannedComponent component;
        component.tree = tree;
        component.device = device;
        component.firstNode = node;
        component.residentBytes = tree->deviceBytes();
        plan_.components.push_back(std::move(component));
        return static_cast<uint32_t>(plan_.components.size() - 1);
    }

    /// "auto" is "none" where everything of the run fits on the device at once, else "model".
    void resolveAuto() {
        std::map<std::string, Bytes> needed;
        for (const PlannedComponent& component : plan_.components) {
            needed[component.device.id()] += component.residentBytes;
        }
        for (PlannedUse& use : plan_.uses) {
            if (use.policy.name == kAuto) {
                const DeviceSpec& device = plan_.components[use.component].device;
                const Bytes capacity = traitsOf(device).capacity;
                use.policy.name = capacity > 0 && needed[device.id()] > capacity ? "model" : "none";
            }
        }
    }

    /// A component that some node wants for the whole run has a region of its own; the others share
    /// one.
    void layOut() {
        for (PlannedUse& use : plan_.uses) {
            PlannedComponent& component = plan_.components[use.component];
            if (component.planner.empty() || use.policy.name == "none") {
                component.planner = use.policy.name;
            }
        }
        std::map<std::string, Bytes> shared;
        for (PlannedComponent& component : plan_.components) {
            const Placement placement =
                plannerNamed(component.planner)->place(*component.tree, traitsOf(component.device));
            component.arenaBytes = placement.arenaBytes;
            if (placement.sharesRegion) {
                Bytes& largest = shared[component.device.id()];
                largest = std::max(largest, placement.arenaBytes);
                continue;
            }
            DevicePlan& device = devicePlan(component.device);
            component.arenaOffset = device.arenaBytes;
            device.arenaBytes += placement.arenaBytes;
            component.lastNode = static_cast<NodeIndex>(request_.nodes.size() - 1);
        }
        for (PlannedComponent& component : plan_.components) {
            if (plannerNamed(component.planner)
                    ->place(*component.tree, traitsOf(component.device))
                    .sharesRegion) {
                component.arenaOffset = devicePlan(component.device).arenaBytes;
            }
        }
        for (const auto& [id, bytes] : shared) {
            for (DevicePlan& device : plan_.devices) {
                device.arenaBytes += device.device.id() == id ? bytes : 0;
            }
        }
    }

    DevicePlan& devicePlan(const DeviceSpec& spec) {
        for (DevicePlan& device : plan_.devices) {
            if (device.device.id() == spec.id()) {
                return device;
            }
        }
        plan_.devices.push_back({.device = spec});
        return plan_.devices.back();
    }

    /// Follows the run: what is on the devices while each node runs.
    void measureStages() {
        std::map<std::string, uint32_t>
            exclusive;  // device -> the component that has the shared region
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            StagePlan stage{.node = request_.nodes[node].node};
            std::map<std::string, Bytes> weights;
            for (const PlannedUse& use : plan_.uses) {
                if (use.node == node && plan_.components[use.component].planner == "model") {
                    exclusive[plan_.components[use.component].device.id()] = use.component;
                }
            }
            for (uint32_t index = 0; index < plan_.components.size(); ++index) {
                const PlannedComponent& component = plan_.components[index];
                const auto holder = exclusive.find(component.device.id());
                const bool holds = component.planner == "model"
                                       ? holder != exclusive.end() && holder->second == index
                                       : component.firstNode <= node;
                if (holds && node <= component.lastNode) {
                    stage.resident.push_back(index);
                    weights[component.device.id()] += mostWhile(node, index);
                }
            }
            for (const auto& [id, bytes] : weights) {
                stage.weights += bytes;
                for (DevicePlan& device : plan_.devices) {
                    device.peakWeights = device.device.id() == id
                                             ? std::max(device.peakWeights, bytes)
                                             : device.peakWeights;
                }
            }
            plan_.stages.push_back(std::move(stage));
        }
    }

    /// Bytes of `index` while `node` runs; of several exclusive components of one node the largest
    /// counts.
    Bytes mostWhile(NodeIndex node, uint32_t index) const {
        Bytes most = plan_.components[index].residentBytes;
        if (plan_.components[index].planner != "model") {
            return most;
        }
        for (const PlannedUse& use : plan_.uses) {
            const PlannedComponent& other = plan_.components[use.component];
            if (use.node == node && other.planner == "model" &&
                other.device.id() == plan_.components[index].device.id()) {
                most = std::max(most, other.residentBytes);
            }
        }
        return most;
    }

    std::optional<Infeasible> firstTooLarge() const {
        for (const StagePlan& stage : plan_.stages) {
            std::map<std::string, Bytes> weights;
            for (const uint32_t index : stage.resident) {
                weights[plan_.components[index].device.id()] +=
                    plan_.components[index].residentBytes;
            }
            for (const auto& [id, bytes] : weights) {
                const Bytes capacity = traitsOf(parseDeviceSpec(id)).capacity;
                if (capacity > 0 && bytes > capacity) {
                    return Infeasible{
                        stage.node,
                        bytes,
                        "its weights take " + formatBytes(bytes) + " of the " +
                            formatBytes(capacity) + " that " + id + " has",
                        "set the policy of this node to model, or compute it on the cpu (@cpu)"};
                }
            }
        }
        return std::nullopt;
    }

    const PlanRequest& request_;
    Plan plan_;
};

}  // namespace

bool isUsedInPlace(const ComponentTree& tree, StorageId storage, const DeviceTraits& traits) {
    if (!traits.usesWeightsInPlace) {
        return false;
    }
    const Storage& bytes = tree.storages[storage];
    if (bytes.fileOffset % sizeOf(bytes.fileType) != 0) {
        return false;
    }
    return std::all_of(tree.weights.begin(), tree.weights.end(), [&](const Weight& weight) {
        return weight.storage != storage ||
               (weight.computeType == bytes.fileType && weight.kind != WeightKind::StateBuffer);
    });
}

Bytes slotBytes(const ComponentTree& tree, const DeviceTraits& traits) {
    if (!traits.usesWeightsInPlace) {
        return tree.deviceBytes();
    }
    std::vector<bool> needsSlot(tree.storages.size(), false);
    for (const Leaf& leaf : tree.leaves) {
        for (const WeightId weight : leaf.weights) {
            const StorageId storage = tree.weights[weight].storage;
            needsSlot[storage] = needsSlot[storage] || !leaf.gathered;
        }
    }
    Bytes total = 0;
    for (StorageId storage = 0; storage < tree.storages.size(); ++storage) {
        if (needsSlot[storage] && !isUsedInPlace(tree, storage, traits)) {
            total += alignUp(tree.deviceBytes(storage), kSlotAlignment);
        }
    }
    return total;
}

const PlannedUse* Plan::use(NodeIndex node, const ComponentTree& tree) const {
    const auto found = std::find_if(uses.begin(), uses.end(), [&](const PlannedUse& candidate) {
        return candidate.node == node && components[candidate.component].tree->id == tree.id;
    });
    return found == uses.end() ? nullptr : &*found;
}

const DevicePlan* Plan::device(const DeviceSpec& spec) const {
    const auto found =
        std::find_if(devices.begin(), devices.end(), [&](const DevicePlan& candidate) {
            return candidate.device.id() == spec.id();
        });
    return found == devices.end() ? nullptr : &*found;
}

std::variant<Plan, Infeasible> makePlan(const PlanRequest& request) {
    return PlanMaker(request).make();
}

Json toJson(const Plan& plan) {
    Json json = {
        {"components", Json::array()}, {"stages", Json::array()}, {"devices", Json::array()}};
    for (const PlannedComponent& component : plan.components) {
        json["components"].push_back({{"role", component.tree->role},
                                      {"network", component.tree->network},
                                      {"device", component.device.id()},
                                      {"policy", component.planner},
                                      {"weights", component.residentBytes},
                                      {"file_bytes", component.tree->fileBytes()},
                                      {"arena_bytes", component.arenaBytes},
                                      {"leaves", component.tree->leaves.size()}});
    }
    for (const StagePlan& stage : plan.stages) {
        Json resident = Json::array();
        for (const uint32_t index : stage.resident) {
            resident.push_back(plan.components[index].tree->role);
        }
        json["stages"].push_back(
            {{"node", stage.node}, {"weights", stage.weights}, {"resident", resident}});
    }
    for (const DevicePlan& device : plan.devices) {
        json["devices"].push_back({{"device", device.device.id()},
                                   {"arena_bytes", device.arenaBytes},
                                   {"peak_weights", device.peakWeights}});
    }
    return json;
}

}  // namespace lowtide::memory
