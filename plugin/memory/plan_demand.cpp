#include "plugin/memory/plan_demand.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
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

class DemandMeter {
public:
    DemandMeter(const PlanRequest& request,
                const Intervals& intervals,
                const std::vector<ChosenLayout>& layouts)
        : request_(request), intervals_(intervals), layouts_(layouts) {}

    Demand measure() {
        demand_.places = intervals_.places;
        for (size_t index = 0; index < layouts_.size(); ++index) {
            const Layout& layout = *layouts_[index].layout;
            PlannedPlace& place = demand_.places[intervals_.stays[index].place];
            place.bytes = std::max(place.bytes, layout.bytes());
            place.arenaBytes = std::max(place.arenaBytes, layout.arenaBytes());
            const auto& groups = layout.groups;
            isConverted_.push_back(
                std::any_of(groups.begin(), groups.end(), [](const Group& group) {
                    return group.convertedBytes > 0;
                }));
        }
        for (const PlanDevice& device : request_.devices) {
            demand_.devices.push_back({.device = device.spec,
                                       .capacity = device.traits.capacity,
                                       .isRehearsal = device.traits.isRehearsal,
                                       .card = device.card,
                                       .isEstimated = device.profile.isEstimated(),
                                       .measuredOn = device.profile.measuredOn});
        }
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            demand_.stages.push_back(measureStage(node));
        }
        return std::move(demand_);
    }

private:
    StagePlan measureStage(NodeIndex node) {
        const NodeWork& work = request_.nodes[node];
        StagePlan stage{.node = work.node};
        for (uint32_t index = 0; index < intervals_.stays.size(); ++index) {
            if (intervals_.stays[index].isHeldAt(node)) {
                stage.stays.push_back(index);
            }
        }
        for (DevicePlan& device : demand_.devices) {
            const std::string id = device.device.id();
            StageBytes bytes{.device = id, .held = heldOn(device.device, node)};
            for (const PlannedPlace& place : demand_.places) {
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
        for (const PlannedUse& use : intervals_.uses) {
            const DeviceSpec& own = intervals_.components[use.component].device;
            const bool counts =
                use.node == node && layouts_[use.stay].replays && own.id() == device;
            bytes += counts ? work.work.activations + deviceOf(request_, own).traits.workspace : 0;
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
        for (size_t index = 0; index < layouts_.size(); ++index) {
            const ComponentInterval& stay = intervals_.stays[index];
            if (stay.first > node) {
                continue;
            }
            Bytes& ofComponent = pinned[stay.component];
            ofComponent = std::max(ofComponent, layouts_[index].pinned);
            const DeviceSpec& device = intervals_.components[stay.component].device;
            if (layouts_[index].layout->arenaBytes() > 0) {
                lent[device.id()] = deviceOf(request_, device).traits.staging;
            }
            if (isConverted_[index]) {
                devices.insert(device.id());
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
            const bool isUsed = std::any_of(intervals_.components.begin(),
                                            intervals_.components.end(),
                                            [&](const auto& component) {
                                                return component.tree->id == kept.tree &&
                                                       component.device.id() == kept.device;
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
        return std::any_of(
            intervals_.stays.begin(), intervals_.stays.end(), [&](const ComponentInterval& stay) {
                const PlannedComponent& component = intervals_.components[stay.component];
                return stay.first <= node && component.tree->id == pinned.tree &&
                       component.device.id() == pinned.device;
            });
    }

    /// A stage without networks computes on the device of its node.
    bool computesOn(NodeIndex node, const std::string& id) const {
        bool hasUse = false;
        for (const PlannedUse& use : intervals_.uses) {
            if (use.node == node) {
                hasUse = true;
                if (intervals_.components[use.component].device.id() == id) {
                    return true;
                }
            }
        }
        return !hasUse && request_.nodes[node].device(request_.device).id() == id;
    }

    const PlanRequest& request_;
    const Intervals& intervals_;
    const std::vector<ChosenLayout>& layouts_;
    std::vector<bool> isConverted_;  ///< per stay: some of its weights, on their way
    Demand demand_;
};

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

/// What an earlier stay of the component left pinned, in this run or before it.
Bytes pinnedBefore(uint32_t index,
                   const PlanRequest& request,
                   const Intervals& intervals,
                   const std::vector<ChosenLayout>& layouts) {
    const uint32_t component = intervals.stays[index].component;
    Bytes pinned = 0;
    for (uint32_t stay = 0; stay < index; ++stay) {
        pinned = intervals.stays[stay].component == component ? layouts[stay].pinned : pinned;
    }
    const PlannedComponent& known = intervals.components[component];
    for (const PinnedComponent& each : request.pinned) {
        const bool isOwn = each.tree == known.tree->id && each.device == known.device.id();
        pinned = isOwn ? std::max(pinned, each.bytes) : pinned;
    }
    return pinned;
}

}  // namespace

Demand demandOf(const PlanRequest& request,
                const Intervals& intervals,
                const std::vector<ChosenLayout>& layouts) {
    return DemandMeter(request, intervals, layouts).measure();
}

std::vector<StagePlan> withTimesOf(uint32_t index,
                                   std::vector<StagePlan> stages,
                                   const PlanRequest& request,
                                   const Intervals& intervals,
                                   const std::vector<ChosenLayout>& layouts) {
    const PlannedStay stay{intervals.stays[index], layouts[index]};
    const PlannedComponent& component = intervals.components[stay.component];
    StayClock clock(stay,
                    *component.tree,
                    deviceOf(request, component.device).profile,
                    pinnedBefore(index, request, intervals, layouts));
    for (const PlannedUse& use : intervals.uses) {
        if (use.stay != index) {
            continue;
        }
        for (const Absence& absence : stay.absences) {
            if (absence.until == use.node) {
                clock.arriveEarly(stages[stay.first]);
                clock.leave();
            }
        }
        const NodeWork& node = request.nodes[use.node];
        clock.use(workOf(node, *component.tree),
                  turnsOf(request, intervals, use),
                  node.pace,
                  stages[use.node]);
    }
    return stages;
}

}  // namespace lowtide::memory
