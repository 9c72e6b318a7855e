#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/memory/role_pattern.hpp"

#include <algorithm>

namespace lowtide::memory {

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

bool PlannedStay::isHeldAt(NodeIndex node) const {
    return first <= node && node <= last && !isAbsent(absences, node);
}

bool PlannedPlace::isHeldAt(NodeIndex node) const {
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

}  // namespace lowtide::memory
