#include "plugin/executor/run_plan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/wires.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/memory/plan_intervals.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

constexpr Bytes kDefaultPercent = 95;  ///< of what is free
constexpr Bytes kSmallestDefault = 256 * kMiB;
const memory::DeviceSpec kHostSpec{};

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

/// A card that is planned for need not be there.
memory::StageDevice stageDevice(const memory::DeviceSpec& spec,
                                const memory::PlanRequest& request) {
    const memory::PlanDevice& device = memory::deviceOf(request, spec);
    return {
        .spec = spec, .decodesAtOnce = device.traits.decodesAtOnce, .isThere = device.card.empty()};
}

/// Where the node computes, which is `own`, and those of its components that do so elsewhere.
memory::StageDevices devicesOfStage(const memory::NodeWork& node,
                                    const memory::DeviceSpec& own,
                                    const memory::PlanRequest& request) {
    memory::StageDevices stageDevices{.device = stageDevice(own, request)};
    for (const auto& tree : node.components) {
        const memory::DeviceSpec spec = node.deviceOf(*tree, request.device);
        if (spec.id() != own.id()) {
            stageDevices.rolesElsewhere.emplace(tree->role, stageDevice(spec, request));
        }
    }
    return stageDevices;
}

/// A card that is planned for, which nothing is asked about.
void addCard(RunDevices& devices, const memory::Card& card, Bytes hostFree) {
    const Bytes capacity = card.capacity();
    devices.infos.push_back({.id = devices.main.id(),
                             .kind = devices.main.kind,
                             .name = card.name,
                             .capacity = capacity,
                             .free = capacity});
    devices.opened.push_back({.spec = devices.main,
                              .traits = memory::cudaTraits(card.capability, capacity, hostFree),
                              .profile = memory::estimatedProfile(card),
                              .card = card.name});
}

/// A device that somebody asks for.
struct Wanted {
    memory::DeviceSpec spec;
    std::string node;  ///< whose policy does; empty: the run
};

/// Without size and what shall fail.
memory::DeviceSpec bare(const memory::DeviceSpec& spec) {
    return {.kind = spec.kind, .index = spec.index};
}

/// Each device once. A rehearsed one has the size that anybody states. Error{InvalidInput} where
/// two state different ones.
void want(std::vector<Wanted>& wanted, const memory::DeviceSpec& spec, const std::string& node) {
    const auto known = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& each) {
        return each.spec.id() == spec.id();
    });
    if (known == wanted.end()) {
        wanted.push_back({spec, node});
    } else if (known->spec == bare(spec)) {
        known->spec = spec;
    } else if (spec != bare(spec) && spec != known->spec) {
        throw Error(ErrorKind::InvalidInput,
                    message("the device {} is asked for as {} and as {}, and is one device",
                            spec.id(),
                            toText(known->spec),
                            toText(spec)),
                    message("give each an index of its own, such as fake:0,8GiB and fake:1,4GiB"),
                    "device");
    }
}

std::optional<Bytes> budgetOf(const memory::DeviceSpec& device,
                              bool isMain,
                              const RunOptions& options,
                              const graph::Snapshot& snapshot) {
    const std::optional<Bytes> asked = options.memoryBudget.of(device, isMain);
    return asked ? asked : snapshot.memoryBudget.of(device, isMain);
}

/// A rehearsed device of no stated size is as large as the budget that names it.
memory::DeviceSpec sized(memory::DeviceSpec spec,
                         const RunOptions& options,
                         const graph::Snapshot& snapshot) {
    if (memory::deviceKind(spec.kind).isRehearsed && !spec.capacity) {
        const std::optional<Bytes> budget = budgetOf(spec, false, options, snapshot);
        spec.capacity = budget.value_or(0) > 0 ? budget : std::nullopt;
    }
    return spec;
}

void openDevice(RunDevices& devices,
                const memory::DeviceSpec& spec,
                const RunOptions& options,
                const graph::Snapshot& snapshot,
                memory::Engine& engine) {
    if (options.card && spec.id() == devices.main.id()) {
        // The host of a card that need not be there is the one whose budget is stated.
        const std::optional<Bytes> host = budgetOf(kHostSpec, false, options, snapshot);
        addCard(devices, *options.card, host ? *host : engine.open(kHostSpec).free);
    } else {
        devices.infos.push_back(engine.open(spec));
        devices.opened.push_back(
            {.spec = spec, .traits = engine.traits(spec), .profile = engine.profile(spec)});
    }
}

/// The device as users read it.
Message readableName(const memory::PlanDevice& device) {
    return !device.card.empty()                               ? Message(device.card)
           : memory::deviceKind(device.spec.kind).isRehearsed ? message("the rehearsed GPU")
                                                              : Message(device.spec.id());
}

/// What may be used of the device: its budget, else what is free or ours already, less 5 %.
/// Error{InvalidInput} for a budget that is none.
void boundDevice(memory::PlanDevice& device,
                 const memory::DeviceInfo& info,
                 std::optional<Bytes> budget,
                 memory::Engine& engine) {
    const Bytes card = device.traits.capacity;  // 0: without a bound
    device.size = card;
    const bool isThere = device.card.empty();
    if (isThere) {
        engine.ledger().setCapacity(device.spec.id(), info.capacity);
    }
    if (!budget) {
        const Bytes own = isThere ? engine.ledger().bytesOn(device.spec.id()) : 0;
        const Bytes free = (info.free + own) / 100 * kDefaultPercent;
        device.traits.capacity = card > 0 ? std::min(card, std::max(kSmallestDefault, free)) : 0;
        return;
    }
    if (*budget <= 0) {
        throw Error(
            ErrorKind::InvalidInput,
            message("a memory budget of {} is too small for anything", formatBytes(*budget)),
            message("give a larger budget, or none"),
            "memory_budget");
    }
    if (card > 0 && *budget > card) {
        throw Error(ErrorKind::InvalidInput,
                    message("the memory budget of {} is more than the {} of {}",
                            formatBytes(*budget),
                            formatBytes(card),
                            readableName(device)),
                    message("give at most {}, or remove the budget", formatBytes(card)),
                    "memory_budget");
    }
    device.traits.capacity = *budget;
}

}  // namespace

std::vector<std::string> RunDevices::ids() const {
    std::vector<std::string> ids;
    for (const memory::PlanDevice& device : opened) {
        ids.push_back(device.spec.id());
    }
    return ids;
}

memory::DeviceSpec mainDeviceOf(const graph::Snapshot& snapshot, const RunOptions& options) {
    return options.card ? memory::DeviceSpec{.kind = memory::kCardKind}
                        : options.device.value_or(snapshot.device.value_or(memory::DeviceSpec{}));
}

std::shared_ptr<const graph::Snapshot> withRunDevices(
    std::shared_ptr<const graph::Snapshot> snapshot,
    const RunOptions& options,
    const std::map<std::string, int>& capabilities) {
    if (capabilities.empty() && !options.card) {
        return snapshot;
    }
    const memory::DeviceSpec main = mainDeviceOf(*snapshot, options);
    const auto capabilityOf = [&](const memory::Policy& policy) {
        const std::string device = policy.device.value_or(main).id();
        if (options.card && device == main.id()) {
            return options.card->capability;
        }
        const auto found = capabilities.find(device);
        return found == capabilities.end() ? 0 : found->second;
    };
    auto changed = std::make_shared<graph::Snapshot>(*snapshot);
    for (graph::SnapshotNode& node : changed->nodes) {
        node.precision.capabilities[""] = capabilityOf(node.policy);
        for (const auto& [role, policy] : node.policy.components) {
            node.precision.capabilities[role] = capabilityOf(node.policy.forComponent(role));
        }
    }
    return changed;
}

std::variant<RunDevices, Issue> openDevices(const graph::Snapshot& snapshot,
                                            const RunOptions& options,
                                            memory::Engine& engine) {
    RunDevices devices;
    devices.main = mainDeviceOf(snapshot, options);
    std::vector<Wanted> wanted;
    std::optional<Issue> issue = attempt("", [&] { want(wanted, devices.main, ""); });
    for (const graph::SnapshotNode& node : snapshot.nodes) {
        for (const memory::DeviceSpec& spec : devicesOf(node.policy)) {
            issue = issue ? issue : attempt(node.id, [&] { want(wanted, spec, node.id); });
        }
    }
    issue = issue ? issue : attempt("", [&] { want(wanted, kHostSpec, ""); });
    for (const Wanted& each : wanted) {
        issue = issue ? issue : attempt(each.node, [&] {
            openDevice(devices, sized(each.spec, options, snapshot), options, snapshot, engine);
        });
    }
    for (size_t i = 0; i < devices.opened.size(); ++i) {
        issue = issue ? issue : attempt("", [&] {
            const memory::DeviceSpec& spec = devices.opened[i].spec;
            boundDevice(devices.opened[i],
                        devices.infos[i],
                        budgetOf(spec, i == 0, options, snapshot),
                        engine);
        });
    }
    if (issue) {
        return *issue;
    }
    return devices;
}

graph::DeviceTexts numericsTexts(const RunDevices& devices) {
    graph::DeviceTexts texts;
    for (const memory::DeviceInfo& info : devices.infos) {
        texts[info.id] = memory::deviceKind(info.kind).numericsText(info);
    }
    texts[""] = texts[devices.main.id()];
    return texts;
}

std::variant<memory::PlanRequest, Issue> requestPlan(const graph::Snapshot& snapshot,
                                                     const GraphSpec& graphSpec,
                                                     std::span<const size_t> positions,
                                                     const RunDevices& devices,
                                                     const RunOptions& options,
                                                     const PlanBasis& basis) {
    memory::PlanRequest request{.device = devices.main, .devices = devices.opened};
    renewHeld(request, basis);
    for (const size_t position : positions) {
        const graph::SnapshotNode& node = snapshot.nodes[position];
        const NodeSpec& work = graphSpec.work[position];
        request.nodes.push_back({.node = node.id, .policy = node.policy});
        if (work.isOnHost) {
            request.nodes.back().policy.device = memory::DeviceSpec{};
        }
        std::optional<Issue> issue = attempt(node.id, [&] {
            if (work.components) {
                request.nodes.back().components = work.components();
            }
        });
        if (issue) {
            return *issue;
        }
    }
    const std::vector<memory::DeviceSpec> locations =
        nodeDevices(snapshot, positions, request.nodes, devices.main);
    const std::vector<BytesByDevice> wires = planWires(snapshot, graphSpec, positions, locations);
    for (size_t stageDevices = 0; stageDevices < positions.size(); ++stageDevices) {
        memory::NodeWork& node = request.nodes[stageDevices];
        const memory::DeviceSpec& device = locations[positions[stageDevices]];
        const NodeSpec& work = graphSpec.work[positions[stageDevices]];
        node.wires = wires[stageDevices];
        if (node.components.empty()) {
            node.policy.device = device;
        }
        std::optional<Issue> issue = attempt(node.node, [&] {
            basis.stop.throwIfStopped();
            node.offloads = work.offloads ? work.offloads() : std::vector<std::string>();
            if (!work.dryRun) {
                return;
            }
            memory::StageDevices stage = devicesOfStage(node, device, request);
            stage.elsewhere =
                inputsElsewhere(snapshot, positions, locations, positions[stageDevices]);
            stage.previews = options.previews;
            if (work.smaller) {
                node.smaller = work.smaller(stage);
            }
            node.work = basis.dryRuns.workOf(
                dryRunKey(snapshot, graphSpec, positions[stageDevices], node.components, stage),
                node.components,
                [&] { return work.dryRun(stage); });
        });
        if (issue) {
            return *issue;
        }
    }
    if (!positions.empty()) {
        const auto onHost = [](const BytesByDevice& bytes) {
            const auto found = bytes.find(memory::kHostId);
            return found == bytes.end() ? Bytes{0} : found->second;
        };
        request.nodes.back().handedOver = onHost(wires.back()) - onHost(request.nodes.back().wires);
    }
    basis.paces.apply(request);
    return request;
}

void renewHeld(memory::PlanRequest& request, const PlanBasis& basis) {
    request.kept = basis.engine.keptComponents();
    request.pinned = basis.engine.pinnedComponents();
    for (memory::PlanDevice& device : request.devices) {
        const std::string id = device.spec.id();
        if (!device.card.empty()) {  // nothing lies on a card that is not there
            std::erase_if(request.kept, [&](const auto& kept) { return kept.device == id; });
            continue;
        }
        device.held = basis.engine.ledger().bytesOn(id);
        device.droppable = id == kHostSpec.id() ? basis.cache.idleBytes() : 0;
    }
}

std::variant<memory::Plan, Issue> decidePlan(const memory::PlanRequest& request) {
    memory::Plan plan;
    std::optional<Issue> refusal;
    const std::optional<Issue> failure = attempt("", [&] {
        auto decided = memory::makePlan(request);
        if (const auto* infeasible = std::get_if<memory::Infeasible>(&decided)) {
            refusal = Issue{Severity::Error,
                            "memory_infeasible",
                            infeasible->node,
                            "memory",
                            message("node {} needs {}: {}; the whole run needs at least {}",
                                    infeasible->node,
                                    formatBytes(infeasible->needed),
                                    infeasible->reason,
                                    memory::formatAtLeast(infeasible->minimum)),
                            infeasible->cheapestFix,
                            memory::toJson(*infeasible).dump()};
        } else {
            plan = std::get<memory::Plan>(std::move(decided));
        }
    });
    if (refusal || failure) {
        return refusal ? *refusal : *failure;
    }
    return plan;
}

std::variant<memory::Plan, Issue> planRun(const graph::Snapshot& snapshot,
                                          GraphSpec& graphSpec,
                                          std::span<const size_t> positions,
                                          const RunDevices& devices,
                                          const RunOptions& options,
                                          const PlanBasis& basis) {
    auto request = requestPlan(snapshot, graphSpec, positions, devices, options, basis);
    if (auto* issue = std::get_if<Issue>(&request)) {
        return std::move(*issue);
    }
    settlePrecisions(graphSpec.precisions,
                     snapshot,
                     graphSpec,
                     positions,
                     std::get<memory::PlanRequest>(request));
    return decidePlan(std::get<memory::PlanRequest>(request));
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
