#include "plugin/memory/plan.hpp"

#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan_intervals.hpp"
#include "plugin/memory/plan_layouts.hpp"
#include "plugin/memory/plan_refusal.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace lowtide::memory {

namespace {

/// `smallest`: what the run takes at least.
Plan finished(const Sizer& sizer, Sizes sizes, const Demand& smallest) {
    return sizer.planOf(sizer.withPins(sizer.withReplays(std::move(sizes))), smallest);
}

/// Nodes of `nodes` that take longer in `plan` than in `other`.
std::vector<NodeIndex> slowerNodes(const Plan& plan,
                                   const Plan& other,
                                   const std::set<NodeIndex>& nodes) {
    std::vector<NodeIndex> slower;
    for (const NodeIndex node : nodes) {
        if (plan.stages[node].seconds > other.stages[node].seconds) {
            slower.push_back(node);
        }
    }
    return slower;
}

/// `bursts` is a plan that fits in which components of `nodes` take turns. Where they fit next to
/// each other, and that is no slower, they live together.
Plan livingTogether(const PlanRequest& request,
                    Plan bursts,
                    std::set<NodeIndex> nodes,
                    const Demand& smallest) {
    while (!nodes.empty()) {
        const Sizer sizer(request, intervalsOf(request, {.together = nodes}));
        Sizes sizes = sizer.smallest();
        if (const std::optional<Infeasible> tooLarge = firstTooLarge(sizes.demand)) {
            const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NodeIndex each) {
                return request.nodes[each].node == tooLarge->node;
            });
            nodes.erase(node == nodes.end() ? nodes.begin() : node);
            continue;
        }
        Plan together = finished(sizer, sizer.grown(std::move(sizes)), smallest);
        const std::vector<NodeIndex> slower = slowerNodes(together, bursts, nodes);
        if (slower.empty()) {
            return together;
        }
        for (const NodeIndex node : slower) {
            nodes.erase(node);
        }
    }
    return bursts;
}

std::variant<Plan, Infeasible> planWith(const PlanRequest& request) {
    const Intervals bursts = intervalsOf(request, {});
    const Sizer sizer(request, bursts);
    const Sizes smallest = sizer.smallest();
    const std::set<NodeIndex> alternating = alternatingNodes(request, bursts);
    const Sizer roomy(request, intervalsOf(request, {.keepsAll = true, .together = alternating}));
    Sizes largest = roomy.largest();
    if (!firstTooLarge(largest.demand)) {
        return finished(roomy, std::move(largest), smallest.demand);
    }
    if (std::optional<Infeasible> infeasible = firstTooLarge(smallest.demand)) {
        return *std::move(infeasible);
    }
    Plan plan = finished(sizer, sizer.grown(smallest), smallest.demand);
    return livingTogether(request, std::move(plan), alternating, smallest.demand);
}

/// What kept components take in addition to a plan's smallest layouts depends on when they leave.
void findMinimums(const PlanRequest& request, Plan& plan) {
    PlanClearing clearing(request);
    clearing.clearAll();
    const PlanRequest& cleared = clearing.request();
    const Sizes smallest = Sizer(cleared, intervalsOf(cleared, {})).smallest();
    for (size_t i = 0; i < plan.devices.size(); ++i) {
        plan.devices[i].minimum = smallest.demand.devices[i].space;
    }
}

}  // namespace

std::variant<Plan, Infeasible> makePlan(const PlanRequest& request) {
    PlanClearing clearing(request);
    auto planned = planWith(clearing.request());
    const auto* refusal = std::get_if<Infeasible>(&planned);
    while (refusal && clearing.clearMore(refusal->device)) {
        planned = planWith(clearing.request());
        refusal = std::get_if<Infeasible>(&planned);
    }
    if (auto* infeasible = std::get_if<Infeasible>(&planned)) {
        findCheapestFix(clearing.request(), *infeasible);
        return planned;
    }
    auto& plan = std::get<Plan>(planned);
    clearing.notify(plan);
    if (!request.kept.empty() || !request.pinned.empty()) {
        findMinimums(request, plan);
    }
    return planned;
}

std::string formatAtLeast(Bytes bytes) {
    const auto [unit, name] = bytes >= kGiB   ? std::pair(kGiB, " GiB")
                              : bytes >= kMiB ? std::pair(kMiB, " MiB")
                                              : std::pair(kKiB, " KiB");
    const Bytes tenths = bytes / unit * 10 + (bytes % unit * 10 + unit - 1) / unit;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + name;
}

namespace {

bool isAbsent(const std::vector<Absence>& absences, NodeIndex node) {
    return std::any_of(absences.begin(), absences.end(), [&](const Absence& absence) {
        return absence.covers(node);
    });
}

}  // namespace

bool isNamed(const ComponentTree& tree, std::string_view component) {
    const bool isOfBase = !tree.baseId.empty() && component == tree.baseId;
    return component == "all" || component == tree.id || component == tree.weightsId() ||
           isOfBase || matchesRole(component, tree.role);
}

bool ComponentInterval::isHeldAt(NodeIndex node) const {
    return first <= node && node <= last && !isAbsent(absences, node);
}

bool PlannedSlot::isHeldAt(NodeIndex node) const {
    return first <= node && node <= last && !isAbsent(absences, node);
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

namespace {

Json residencyJson(const Plan& plan, const PlannedResidency& residency) {
    const Layout& layout = *residency.layout;
    int64_t resident = 0;
    for (const Group& group : layout.groups) {
        resident += group.isResident ? 1 : 0;
    }
    Json offloaded = Json::array();
    bool isKept = residency.isKept;
    for (const Absence& absence : residency.absences) {
        offloaded.push_back(plan.stages[absence.from].node);
        isKept = isKept && absence.until <= residency.last;
    }
    return {{"role", plan.components[residency.component].tree->role},
            {"policy", residency.planner},
            {"from", plan.stages[residency.first].node},
            {"to", plan.stages[residency.last].node},
            {"groups", layout.groups.size()},
            {"resident_groups", resident},
            {"resident_bytes", layout.residentBytes},
            {"ring_bytes", layout.ringBufferBytes},
            {"streamed_bytes_per_pass", layout.streamedBytes()},
            {"prefetches", layout.prefetches},
            {"pinned_bytes", residency.pinned},
            {"replayed", residency.replays},
            {"in_place", layout.isInPlace},
            {"offloaded_by", offloaded},
            {"kept", isKept}};
}

Json stageJson(const Plan& plan, NodeIndex node) {
    const StagePlan& stage = plan.stages[node];
    const bool hasNetworks = std::any_of(plan.uses.begin(),
                                         plan.uses.end(),
                                         [&](const PlannedUse& use) { return use.node == node; });
    Json json = {{"node", stage.node},
                 {"has_networks", hasNetworks},
                 {"seconds", stage.seconds},
                 {"compute", stage.compute},
                 {"moved", stage.moved},
                 {"needed", stage.needed},
                 {"patterns", toJson(stage.patterns)},
                 {"stays", stage.residencies},
                 {"resident", Json::array()},
                 {"devices", Json::object()}};
    for (const uint32_t residency : stage.residencies) {
        json["resident"].push_back(
            plan.components[plan.residencies[residency].component].tree->role);
    }
    for (const StageBytes& bytes : stage.bytes) {
        json["devices"][bytes.device] = {{"weights", bytes.weights},
                                         {"activations", bytes.activations},
                                         {"guessed_workspace", bytes.guessed},
                                         {"workspace", bytes.workspace},
                                         {"wires", bytes.wires},
                                         {"staging", bytes.staging},
                                         {"held", bytes.held},
                                         {"total", bytes.total()},
                                         {"slack", bytes.slack}};
    }
    return json;
}

}  // namespace

Json toJson(const Plan& plan) {
    Json json = {{"components", Json::array()},
                 {"stays", Json::array()},
                 {"stages", Json::array()},
                 {"devices", Json::array()},
                 {"drops_results", plan.dropsHeld},
                 {"releases", Json::array()},
                 {"unpins", Json::array()}};
    for (const KeptComponent& kept : plan.leaving) {
        json["releases"].push_back(
            {{"role", kept.role}, {"device", kept.device}, {"bytes", kept.bytes}});
    }
    for (const PinnedComponent& pinned : plan.unpinned) {
        json["unpins"].push_back({{"device", pinned.device}, {"bytes", pinned.bytes}});
    }
    for (const PlannedComponent& component : plan.components) {
        json["components"].push_back({{"role", component.tree->role},
                                      {"network", component.tree->network},
                                      {"device", component.device.id()},
                                      {"weights", component.tree->deviceBytes()},
                                      {"file_bytes", component.tree->fileBytes()},
                                      {"leaves", component.tree->leaves.size()}});
    }
    for (const PlannedResidency& residency : plan.residencies) {
        json["stays"].push_back(residencyJson(plan, residency));
    }
    for (NodeIndex node = 0; node < plan.stages.size(); ++node) {
        json["stages"].push_back(stageJson(plan, node));
    }
    for (const DevicePlan& device : plan.devices) {
        json["devices"].push_back({{"device", device.device.id()},
                                   {"capacity", device.capacity},
                                   {"peak", device.peak},
                                   {"peak_weights", device.peakWeights},
                                   {"minimum", device.minimum},
                                   {"rehearsal", device.isRehearsal},
                                   {"planned_for", device.card},
                                   {"estimated", device.isEstimated},
                                   {"measured_on", device.measuredOn}});
    }
    return json;
}

Json toJson(const Infeasible& infeasible) {
    Json json = {{"node", infeasible.node},
                 {"device", infeasible.device},
                 {"needed", infeasible.needed},
                 {"capacity", infeasible.capacity},
                 {"minimum", infeasible.minimum}};
    if (infeasible.budget > 0) {
        json["budget"] = infeasible.budget;
    }
    if (!infeasible.fittingPolicy.empty()) {
        json["policy"] = infeasible.fittingPolicy;
    }
    if (!infeasible.fittingParam.empty()) {
        json["param"] = infeasible.fittingParam;
        json["value"] = infeasible.fittingValue;
    }
    return json;
}

}  // namespace lowtide::memory
