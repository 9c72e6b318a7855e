#include "plugin/executor/run_plan.hpp"

#include "plugin/executor/failure.hpp"
#include "plugin/executor/ledger_charge.hpp"
#include "plugin/executor/planned_wires.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

/// The devices that a policy names, its components' included.
std::vector<memory::DeviceSpec> devicesOf(const memory::Policy& policy) {
    std::vector<memory::DeviceSpec> specs;
    if (policy.device) {
        specs.push_back(*policy.device);
    }
    for (const auto& [role, entry] : policy.components) {
        if (entry.device) {
            specs.push_back(*entry.device);
        }
    }
    return specs;
}

void openDevice(RunDevices& devices, const memory::DeviceSpec& spec, memory::Engine& engine) {
    const bool isOpen =
        std::any_of(devices.opened.begin(), devices.opened.end(), [&](const auto& known) {
            return known.spec.id() == spec.id();
        });
    if (!isOpen) {
        devices.infos.push_back(engine.open(spec));
        devices.opened.push_back({.spec = spec,
                                  .traits = engine.traits(spec),
                                  .profile = memory::estimatedProfile(spec.kind)});
    }
}

}  // namespace

std::vector<std::string> RunDevices::ids() const {
    std::vector<std::string> ids = {kHostDevice};
    for (const memory::PlanDevice& device : opened) {
        if (device.spec.id() != kHostDevice) {
            ids.push_back(device.spec.id());
        }
    }
    return ids;
}

std::variant<RunDevices, Issue> openDevices(const graph::Snapshot& snapshot,
                                            const RunOptions& options,
                                            memory::Engine& engine) {
    RunDevices devices;
    devices.main = options.device.value_or(snapshot.device.value_or(memory::DeviceSpec{}));
    std::optional<Issue> issue = attempt("", [&] { openDevice(devices, devices.main, engine); });
    for (const graph::SnapshotNode& node : snapshot.nodes) {
        for (const memory::DeviceSpec& spec : devicesOf(node.policy)) {
            issue = issue ? issue : attempt(node.id, [&] { openDevice(devices, spec, engine); });
        }
    }
    if (issue) {
        return *issue;
    }
    const std::optional<Bytes> budget =
        options.memoryBudget ? options.memoryBudget : snapshot.memoryBudget;
    if (budget) {
        Bytes& capacity = devices.opened.front().traits.capacity;
        capacity = capacity > 0 ? std::min(capacity, *budget) : *budget;
    }
    return devices;
}

std::variant<memory::Plan, Issue> planRun(const graph::Snapshot& snapshot,
                                          const OutlinedGraph& outlined,
                                          std::span<const size_t> positions,
                                          const RunDevices& devices,
                                          memory::Engine& engine) {
    memory::PlanRequest request{.device = devices.main, .devices = devices.opened};
    for (memory::PlanDevice& device : request.devices) {
        device.held = engine.ledger().bytesOn(device.spec.id());
    }
    request.kept = engine.keptComponents();
    request.patched = engine.patchedComponents();
    const std::vector<BytesByDevice> wires = planWires(snapshot, outlined, positions, devices.main);
    for (size_t place = 0; place < positions.size(); ++place) {
        const graph::SnapshotNode& node = snapshot.nodes[positions[place]];
        const WorkOutline& work = outlined.work[positions[place]];
        request.nodes.push_back({.node = node.id,
                                 .policy = node.policy,
                                 .components = work.components,
                                 .wires = wires[place]});
        std::optional<Issue> issue = attempt(node.id, [&] {
            request.nodes.back().work =
                work.walk ? work.walk(node.policy.device.value_or(devices.main).kind)
                          : memory::StageWork();
        });
        if (issue) {
            return *issue;
        }
    }
    memory::Plan plan;
    std::optional<Issue> refusal;
    const std::optional<Issue> failure = attempt("", [&] {
        auto decided = memory::makePlan(request);
        if (const auto* infeasible = std::get_if<memory::Infeasible>(&decided)) {
            refusal = Issue{Severity::Error,
                            "memory_infeasible",
                            infeasible->node,
                            "memory",
                            "node " + infeasible->node + " needs " +
                                formatBytes(infeasible->needed) + ": " + infeasible->reason,
                            infeasible->cheapestFix};
        } else {
            plan = std::get<memory::Plan>(std::move(decided));
        }
    });
    if (refusal || failure) {
        return refusal ? *refusal : *failure;
    }
    return plan;
}

Json toJson(const std::vector<memory::DeviceInfo>& devices) {
    Json json = Json::array();
    for (const memory::DeviceInfo& device : devices) {
        json.push_back({{"id", device.id},
                        {"kind", device.kind},
                        {"name", device.name},
                        {"capacity", device.capacity},
                        {"free", device.free}});
    }
    return json;
}

}  // namespace lowtide::executor
