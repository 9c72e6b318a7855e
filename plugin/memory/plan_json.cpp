#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

Json stayJson(const Plan& plan, const PlannedStay& stay) {
    const Layout& layout = *stay.layout;
    int64_t resident = 0;
    for (const Group& group : layout.groups) {
        resident += group.isResident ? 1 : 0;
    }
    Json offloaded = Json::array();
    bool isKept = stay.isKept;
    for (const Absence& absence : stay.absences) {
        offloaded.push_back(plan.stages[absence.from].node);
        isKept = isKept && absence.until <= stay.last;
    }
    return {{"role", plan.components[stay.component].tree->role},
            {"policy", stay.planner},
            {"from", plan.stages[stay.first].node},
            {"to", plan.stages[stay.last].node},
            {"groups", layout.groups.size()},
            {"resident_groups", resident},
            {"resident_bytes", layout.residentBytes},
            {"ring_bytes", layout.ringBytes},
            {"streamed_bytes_per_pass", layout.streamedBytes()},
            {"prefetches", layout.prefetches},
            {"pinned_bytes", stay.pinned},
            {"replayed", stay.replays},
            {"in_place", layout.isInPlace},
            {"offloaded_by", offloaded},
            {"kept", isKept}};
}

bool hasNetworks(const Plan& plan, const StagePlan& stage) {
    return std::any_of(plan.uses.begin(), plan.uses.end(), [&](const PlannedUse& use) {
        return &plan.stages[use.node] == &stage;
    });
}

Json stageJson(const Plan& plan, const StagePlan& stage) {
    Json json = {{"node", stage.node},
                 {"has_networks", hasNetworks(plan, stage)},
                 {"seconds", stage.seconds},
                 {"compute", stage.compute},
                 {"moved", stage.moved},
                 {"needed", stage.needed},
                 {"patterns", toJson(stage.patterns)},
                 {"stays", stage.stays},
                 {"resident", Json::array()},
                 {"devices", Json::object()}};
    for (const uint32_t stay : stage.stays) {
        json["resident"].push_back(plan.components[plan.stays[stay].component].tree->role);
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
    for (const PlannedStay& stay : plan.stays) {
        json["stays"].push_back(stayJson(plan, stay));
    }
    for (const StagePlan& stage : plan.stages) {
        json["stages"].push_back(stageJson(plan, stage));
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
