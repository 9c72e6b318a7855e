#include "plugin/memory/plan_demand.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/memory/plan_intervals.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

namespace {

/// One stay from use to use; after an absence it arrives once more.
class StayClock {
public:
    /// `filled`: of what it pins, with what is there already.
    StayClock(const PlannedStay& stay,
              const ComponentTree& tree,
              const DeviceProfile& profile,
              Bytes filled)
        : stay_(stay),
          tree_(tree),
          profile_(profile),
          clock_(*stay.layout, stay.passes, profile, {.most = stay.pinned, .filled = filled}),
          isThere_(stay.isThere),
          came_(stay.layout->groups.size(), false) {}

    /// What comes before the first node that uses it, and is sent away again.
    void arriveEarly(StagePlan& stage) {
        const StreamTimes before = clock_.times();
        arrive(stage);
        stage.moved += clock_.times().moved - before.moved;
    }

    void leave() {
        clock_.leave();
        isThere_ = false;
        hasArrived_ = false;
        came_.assign(came_.size(), false);
        begun_.clear();
    }

    /// `turns`: how many passes it does until it must make room, and so on. `pace`: of its node.
    void use(const ComponentWork* work,
             const std::vector<int64_t>& turns,
             double pace,
             StagePlan& stage) {
        if (!work) {
            const Bytes bytes = isThere_ || hasArrived_ ? 0 : tree_.deviceBytes();
            stage.moved += bytes;
            stage.needed += bytes;
            hasArrived_ = true;
            return;
        }
        const StreamTimes before = clock_.times();
        const PassUses uses(*stay_.layout, *work, profile_.paced(pace));
        int64_t done = 0;
        for (const int64_t passes : turns) {
            if (done > 0) {
                leave();
            }
            arrive(stage);
            runPasses(*work, uses, {done, done + passes}, stage);
            done += passes;
        }
        const StreamTimes after = clock_.times();
        stage.compute += after.compute - before.compute;
        stage.seconds += isThere_ ? after.compute - before.compute : after.total - before.total;
        stage.moved += isThere_ ? 0 : after.moved - before.moved;
    }

private:
    /// First of them, and the one behind the last.
    using PassRange = std::pair<int64_t, int64_t>;

    void runPasses(const ComponentWork& work,
                   const PassUses& uses,
                   PassRange range,
                   StagePlan& stage) {
        for (int64_t pass = range.first; pass < range.second; ++pass) {
            const PassHint hint = work.hint(pass);
            const Bytes before = clock_.times().moved;
            clock_.runPass(uses.of(hint.pattern), hint);
            PatternTraffic& pattern = stage.patterns[hint.pattern];
            ++pattern.passes;
            pattern.moved += isThere_ ? 0 : clock_.times().moved - before;
            stage.needed += isThere_ ? 0 : streamedIn(hint.pattern);
            if (begun_.insert(hint.pattern).second) {
                needResidents(stay_.layout->orderOf(hint.pattern), stage);
            }
        }
    }

    /// Those that have not come yet: what pattern 0 has no use for comes with the first pass that
    /// has.
    void needResidents(const std::vector<GroupId>& groups, StagePlan& stage) {
        for (const GroupId group : groups) {
            const Group& planned = stay_.layout->groups[group];
            if (planned.isResident && !isThere_ && !came_[group]) {
                came_[group] = true;
                stage.needed += planned.contentBytes;
            }
        }
    }

    /// Bytes of one pass of the pattern.
    Bytes streamedIn(uint32_t pattern) {
        const auto known = streamed_.find(pattern);
        return known != streamed_.end()
                   ? known->second
                   : streamed_.emplace(pattern, stay_.layout->streamedBytes(pattern)).first->second;
    }

    void arrive(StagePlan& stage) {
        if (isThere_ || std::exchange(hasArrived_, true)) {
            return;
        }
        clock_.arrive(stay_.isKept);
        needResidents(stay_.layout->order, stage);
        if (stay_.isKept) {
            std::vector<GroupId> all(stay_.layout->groups.size());
            std::iota(all.begin(), all.end(), GroupId{0});
            needResidents(all, stage);
        }
    }

    const PlannedStay& stay_;
    const ComponentTree& tree_;
    const DeviceProfile& profile_;
    StreamClock clock_;
    bool isThere_;  ///< since an earlier run
    bool hasArrived_ = false;
    std::vector<bool> came_;                ///< residents, since it arrived
    std::set<uint32_t> begun_{};            ///< patterns of passes, likewise
    std::map<uint32_t, Bytes> streamed_{};  ///< by pattern, those that were asked for
};

/// Whether another use of the node takes the place of `use` meanwhile.
bool takesPlaceOf(const Plan& plan, const PlannedUse& use, const std::string& tree) {
    return std::any_of(plan.uses.begin(), plan.uses.end(), [&](const PlannedUse& other) {
        return other.node == use.node && other.stay != use.stay &&
               plan.stays[other.stay].place == plan.stays[use.stay].place &&
               plan.components[other.component].tree->id == tree;
    });
}

/// Passes of the use's component, one number for each time that it is brought.
std::vector<int64_t> turnsOf(const Plan& plan,
                             const PlannedUse& use,
                             const ComponentWork& component,
                             const StageWork& work) {
    if (work.turns.empty()) {
        return {component.passes};
    }
    const std::string& own = component.tree->id;
    std::vector<int64_t> turns;
    bool isInterrupted = true;
    for (const ComponentTurn& turn : work.turns) {
        const std::string& tree = work.components[turn.component].tree->id;
        if (tree != own) {
            isInterrupted = isInterrupted || takesPlaceOf(plan, use, tree);
        } else if (std::exchange(isInterrupted, false)) {
            turns.push_back(turn.passes);
        } else {
            turns.back() += turn.passes;
        }
    }
    return turns;
}

/// What an earlier stay of the component left pinned, in this run or before it.
Bytes pinnedBefore(const Plan& plan, const PlanRequest& request, uint32_t index) {
    const uint32_t component = plan.stays[index].component;
    Bytes pinned = 0;
    for (uint32_t stay = 0; stay < index; ++stay) {
        pinned = plan.stays[stay].component == component ? plan.stays[stay].pinned : pinned;
    }
    const PlannedComponent& known = plan.components[component];
    for (const PinnedComponent& each : request.pinned) {
        const bool isOwn = each.tree == known.tree->id && each.device == known.device.id();
        pinned = isOwn ? std::max(pinned, each.bytes) : pinned;
    }
    return pinned;
}

}  // namespace

const ComponentWork* workOf(const NodeWork& node, const ComponentTree& tree) {
    for (const ComponentWork& work : node.work.components) {
        if (work.tree->id == tree.id) {
            return &work;
        }
    }
    return nullptr;
}

std::set<NodeIndex> alternatingNodes(const Plan& plan, const PlanRequest& request) {
    std::set<NodeIndex> nodes;
    for (const PlannedUse& use : plan.uses) {
        const NodeWork& node = request.nodes[use.node];
        const ComponentWork* work = workOf(node, *plan.components[use.component].tree);
        if (work && turnsOf(plan, use, *work, node.work).size() > 1) {
            nodes.insert(use.node);
        }
    }
    return nodes;
}

void predictStay(Plan& plan, const PlanRequest& request, uint32_t index) {
    const PlannedStay& stay = plan.stays[index];
    const PlannedComponent& component = plan.components[stay.component];
    StayClock clock(stay,
                    *component.tree,
                    deviceOf(request, component.device).profile,
                    pinnedBefore(plan, request, index));
    for (const PlannedUse& use : plan.uses) {
        if (use.stay != index) {
            continue;
        }
        StagePlan& stage = plan.stages[use.node];
        for (const Absence& absence : stay.absences) {
            if (absence.until == use.node) {
                clock.arriveEarly(plan.stages[stay.first]);
                clock.leave();
            }
        }
        const NodeWork& node = request.nodes[use.node];
        const ComponentWork* work = workOf(node, *component.tree);
        clock.use(work,
                  work ? turnsOf(plan, use, *work, node.work) : std::vector<int64_t>(),
                  node.pace,
                  stage);
    }
}

}  // namespace lowtide::memory
