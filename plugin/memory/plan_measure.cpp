#include "plugin/memory/plan_measure.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/memory/plan_stays.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace lowtide::memory {

namespace {

class PlanMeasurer {
public:
    PlanMeasurer(Plan& plan, const PlanRequest& request) : plan_(plan), request_(request) {}

    void measure() {
        for (PlannedPlace& place : plan_.places) {
            place.bytes = 0;
            place.arenaBytes = 0;
        }
        isConverted_.clear();
        for (const PlannedStay& stay : plan_.stays) {
            const auto& groups = stay.layout->groups;
            isConverted_.push_back(
                std::any_of(groups.begin(), groups.end(), [](const Group& group) {
                    return group.convertedBytes > 0;
                }));
            PlannedPlace& place = plan_.places[stay.place];
            place.bytes = std::max(place.bytes, stay.layout->bytes());
            place.arenaBytes = std::max(place.arenaBytes, stay.layout->arenaBytes());
        }
        plan_.devices.clear();
        for (const PlanDevice& device : request_.devices) {
            plan_.devices.push_back({.device = device.spec,
                                     .capacity = device.traits.capacity,
                                     .isRehearsal = device.traits.isRehearsal,
                                     .card = device.card,
                                     .isEstimated = device.profile.isEstimated(),
                                     .measuredOn = device.profile.measuredOn});
        }
        plan_.stages.clear();
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            plan_.stages.push_back(measureStage(node));
        }
    }

private:
    StagePlan measureStage(NodeIndex node) {
        const NodeWork& work = request_.nodes[node];
        StagePlan stage{.node = work.node};
        for (uint32_t index = 0; index < plan_.stays.size(); ++index) {
            if (plan_.stays[index].isHeldAt(node)) {
                stage.stays.push_back(index);
            }
        }
        for (DevicePlan& device : plan_.devices) {
            const std::string id = device.device.id();
            StageBytes bytes{.device = id, .held = heldOn(device.device, node)};
            for (const PlannedPlace& place : plan_.places) {
                const bool counts = place.device.id() == id && place.isHeldAt(node);
                bytes.weights += counts ? place.bytes : 0;
            }
            bytes.activations = activationsOn(node, id);
            if (computesOn(node, id)) {
                bytes.activations += recordsAt(node, id);
                bytes.guessed = work.work.guessed;
                bytes.workspace =
                    work.work.workspace + deviceOf(request_, device.device).traits.workspace;
            }
            const auto wires = work.wires.find(id);
            bytes.wires = wires == work.wires.end() ? 0 : wires->second;
            bytes.staging = id == "cpu" ? stagingAt(node) : 0;
            bytes.slack = bytes.total() > 0 ? deviceOf(request_, device.device).traits.slack : 0;
            device.peak = std::max(device.peak, bytes.total());
            device.room = std::max(device.room, bytes.room());
            device.peakWeights = std::max(device.peakWeights, bytes.weights);
            stage.bytes.push_back(std::move(bytes));
        }
        return stage;
    }

    /// On the stage's own device without what it makes elsewhere. Where its components compute with
    /// all of it, unless the stage knows how much of its work happens beside them.
    Bytes activationsOn(NodeIndex node, const std::string& device) const {
        const NodeWork& work = request_.nodes[node];
        const StageWork& seen = work.work;
        const bool isOwn = work.device(request_.device).id() == device;
        const auto elsewhere = seen.elsewhere.find(device);
        const Bytes made = elsewhere == seen.elsewhere.end() ? 0 : elsewhere->second;
        const bool mayBeThere = isOwn || (!seen.knowsElsewhere && computesOn(node, device));
        const Bytes most = (mayBeThere ? seen.activations : 0) + (isOwn ? 0 : made);
        return device == kHostId ? std::max(most, work.handedOver) : most;
    }

    /// What records keep while the node runs.
    Bytes recordsAt(NodeIndex node, const std::string& device) const {
        const NodeWork& work = request_.nodes[node];
        Bytes bytes = 0;
        for (const PlannedUse& use : plan_.uses) {
            const bool counts = use.node == node && plan_.stays[use.stay].replays &&
                                plan_.components[use.component].device.id() == device;
            bytes += counts ? work.work.activations +
                                  deviceOfStay(plan_.stays[use.stay]).traits.workspace
                            : 0;
        }
        return bytes;
    }

    /// The host's memory for copies: scratch for conversions, one for each device that got
    /// converted weights so far; what devices are lent from their first copy on; what is pinned,
    /// from a component's first stay on.
    Bytes stagingAt(NodeIndex node) const {
        std::set<std::string> devices;
        std::map<std::string, Bytes> lent;
        std::map<uint32_t, Bytes> pinned;  // by component: its stays take over what is pinned
        for (size_t index = 0; index < plan_.stays.size(); ++index) {
            const PlannedStay& stay = plan_.stays[index];
            if (stay.first > node) {
                continue;
            }
            Bytes& ofComponent = pinned[stay.component];
            ofComponent = std::max(ofComponent, stay.pinned);
            const PlannedComponent& component = plan_.components[stay.component];
            if (stay.layout->arenaBytes() > 0) {
                lent[component.device.id()] = deviceOfStay(stay).traits.staging;
            }
            if (isConverted_[index]) {
                devices.insert(component.device.id());
            }
        }
        Bytes bytes = static_cast<Bytes>(devices.size()) * kConversionScratch;
        for (const auto& [component, ofComponent] : pinned) {
            bytes += ofComponent;
        }
        for (const auto& [device, ofDevice] : lent) {
            bytes += ofDevice;
        }
        return bytes;
    }

    /// Without the kept components that this run uses: they are among its stays, or go at once.
    Bytes heldOn(const DeviceSpec& device, NodeIndex node) const {
        Bytes held = deviceOf(request_, device).held;
        for (const KeptComponent& kept : request_.kept) {
            const bool isUsed = std::any_of(
                plan_.components.begin(), plan_.components.end(), [&](const auto& component) {
                    return component.tree->id == kept.tree && component.device.id() == kept.device;
                });
            const bool leaves = isUsed || isOffloadedBefore(request_, kept, node);
            held -= leaves && kept.device == device.id() ? kept.bytes : 0;
        }
        for (const PinnedComponent& pinned : request_.pinned) {
            held -= device.id() == "cpu" && isTakenOver(pinned, node) ? pinned.bytes : 0;
        }
        return held;
    }

    /// The component's first stay goes on with what is pinned for it, or unpins it.
    bool isTakenOver(const PinnedComponent& pinned, NodeIndex node) const {
        return std::any_of(plan_.stays.begin(), plan_.stays.end(), [&](const PlannedStay& stay) {
            const PlannedComponent& component = plan_.components[stay.component];
            return stay.first <= node && component.tree->id == pinned.tree &&
                   component.device.id() == pinned.device;
        });
    }

    /// A stage without networks computes on the device of its node.
    bool computesOn(NodeIndex node, const std::string& id) const {
        bool hasUse = false;
        for (const PlannedUse& use : plan_.uses) {
            if (use.node == node) {
                hasUse = true;
                if (plan_.components[use.component].device.id() == id) {
                    return true;
                }
            }
        }
        return !hasUse && request_.nodes[node].device(request_.device).id() == id;
    }

    const PlanDevice& deviceOfStay(const PlannedStay& stay) const {
        return deviceOf(request_, plan_.components[stay.component].device);
    }

    Plan& plan_;
    const PlanRequest& request_;
    std::vector<bool> isConverted_;  ///< per stay: some of its weights, on their way
};

}  // namespace

void measurePlan(Plan& plan, const PlanRequest& request) {
    PlanMeasurer(plan, request).measure();
}

}  // namespace lowtide::memory
