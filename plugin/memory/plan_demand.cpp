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
        demand_.slots = intervals_.slots;
        for (size_t index = 0; index < layouts_.size(); ++index) {
            const Layout& layout = *layouts_[index].layout;
            PlannedSlot& slot = demand_.slots[intervals_.residencies[index].slot];
            slot.bytes = std::max(slot.bytes, layout.bytes());
            slot.arenaBytes = std::max(slot.arenaBytes, layout.arenaBytes());
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
        for (uint32_t index = 0; index < intervals_.residencies.size(); ++index) {
            if (intervals_.residencies[index].isHeldAt(node)) {
                stage.residencies.push_back(index);
            }
        }
        for (DevicePlan& device : demand_.devices) {
            const std::string id = device.device.id();
            StageBytes bytes{.device = id, .held = heldOn(device.device, node)};
            for (const PlannedSlot& slot : demand_.slots) {
                const bool counts = slot.device.id() == id && slot.isHeldAt(node);
                bytes.weights += counts ? slot.bytes : 0;
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
            device.space = std::max(device.space, bytes.space());
            device.peakWeights = std::max(device.peakWeights, bytes.weights);
            stage.bytes.push_back(std::move(bytes));
        }
        return stage;
    }

    /// On the stage's own device without what it makes elsewhere. Where its components compute with
    /// all of it, unless the stage knows how much of its work happens without them.
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
                use.node == node && layouts_[use.residency].replays && own.id() == device;
            bytes += counts ? work.work.activations + deviceOf(request_, own).traits.workspace : 0;
        }
        return bytes;
    }

    /// The host's memory for copies: scratch for conversions, one for each device that got
    /// converted weights so far; what devices are lent from their first copy on; what is pinned,
    /// from a component's first residency on.
    Bytes stagingAt(NodeIndex node) const {
        std::set<std::string> devices;
        std::map<std::string, Bytes> lent;
        std::map<uint32_t, Bytes> pinned;  // by component: its residencies take over what is pinned
        for (size_t index = 0; index < layouts_.size(); ++index) {
            const ComponentInterval& residency = intervals_.residencies[index];
            if (residency.first > node) {
                continue;
            }
            Bytes& ofComponent = pinned[residency.component];
            ofComponent = std::max(ofComponent, layouts_[index].pinned);
            const DeviceSpec& device = intervals_.components[residency.component].device;
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

    /// Without the kept components that this run uses: they are among its residencies, or go at
    /// once.
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

    /// The component's first residency goes on with what is pinned for it, or unpins it.
    bool isTakenOver(const PinnedComponent& pinned, NodeIndex node) const {
        return std::any_of(
            intervals_.residencies.begin(),
            intervals_.residencies.end(),
            [&](const ComponentInterval& residency) {
                const PlannedComponent& component = intervals_.components[residency.component];
                return residency.first <= node && component.tree->id == pinned.tree &&
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
    std::vector<bool> isConverted_;  ///< per residency: some of its weights, on their way
    Demand demand_;
};

/// One residency from use to use; after an absence it arrives once more.
class ResidencyClock {
public:
    /// `filled`: of what it pins, with what is there already.
    ResidencyClock(const PlannedResidency& residency,
                   const ComponentTree& tree,
                   const DeviceProfile& profile,
                   Bytes filled)
        : residency_(residency),
          tree_(tree),
          profile_(profile),
          clock_(*residency.layout,
                 residency.forwards,
                 profile,
                 {.most = residency.pinned, .filled = filled}),
          isThere_(residency.isThere),
          came_(residency.layout->groups.size(), false) {}

    /// What comes before the first node that uses it, and is sent away again.
    void uploadEarly(StagePlan& stage) {
        const StreamTimes before = clock_.times();
        upload(stage);
        stage.moved += clock_.times().moved - before.moved;
    }

    void leave() {
        clock_.leave();
        isThere_ = false;
        isUploaded_ = false;
        came_.assign(came_.size(), false);
        begun_.clear();
    }

    /// `bursts`: how many forwards it does until it must make space, and so on. `pace`: of its
    /// node.
    void use(const ComponentWork* work,
             const std::vector<int64_t>& bursts,
             double pace,
             StagePlan& stage) {
        if (!work) {
            const Bytes bytes = isThere_ || isUploaded_ ? 0 : tree_.deviceBytes();
            stage.moved += bytes;
            stage.needed += bytes;
            isUploaded_ = true;
            return;
        }
        const StreamTimes before = clock_.times();
        const ForwardUses uses(*residency_.layout, *work, profile_.paced(pace));
        int64_t done = 0;
        for (const int64_t forwards : bursts) {
            if (done > 0) {
                leave();
            }
            upload(stage);
            runForwards(*work, uses, {done, done + forwards}, stage);
            done += forwards;
        }
        const StreamTimes after = clock_.times();
        stage.compute += after.compute - before.compute;
        stage.seconds += isThere_ ? after.compute - before.compute : after.total - before.total;
        stage.moved += isThere_ ? 0 : after.moved - before.moved;
    }

private:
    /// First of them, and the one behind the last.
    using ForwardRange = std::pair<int64_t, int64_t>;

    void runForwards(const ComponentWork& work,
                     const ForwardUses& uses,
                     ForwardRange range,
                     StagePlan& stage) {
        for (int64_t forward = range.first; forward < range.second; ++forward) {
            const ForwardHint hint = work.hint(forward);
            const Bytes before = clock_.times().moved;
            clock_.runForward(uses.of(hint.pattern), hint);
            PatternTraffic& pattern = stage.patterns[hint.pattern];
            ++pattern.forwards;
            pattern.moved += isThere_ ? 0 : clock_.times().moved - before;
            stage.needed += isThere_ ? 0 : streamedIn(hint.pattern);
            if (begun_.insert(hint.pattern).second) {
                needResidents(residency_.layout->orderOf(hint.pattern), stage);
            }
        }
    }

    /// Those that have not come yet: what pattern 0 has no use for comes with the first forward
    /// that has.
    void needResidents(const std::vector<GroupId>& groups, StagePlan& stage) {
        for (const GroupId group : groups) {
            const Group& planned = residency_.layout->groups[group];
            if (planned.isResident && !isThere_ && !came_[group]) {
                came_[group] = true;
                stage.needed += planned.contentBytes;
            }
        }
    }

    /// Bytes of one forward of the pattern.
    Bytes streamedIn(uint32_t pattern) {
        const auto known = streamed_.find(pattern);
        return known != streamed_.end()
                   ? known->second
                   : streamed_.emplace(pattern, residency_.layout->streamedBytes(pattern))
                         .first->second;
    }

    void upload(StagePlan& stage) {
        if (isThere_ || std::exchange(isUploaded_, true)) {
            return;
        }
        clock_.upload(residency_.isKept);
        needResidents(residency_.layout->order, stage);
        if (residency_.isKept) {
            std::vector<GroupId> all(residency_.layout->groups.size());
            std::iota(all.begin(), all.end(), GroupId{0});
            needResidents(all, stage);
        }
    }

    const PlannedResidency& residency_;
    const ComponentTree& tree_;
    const DeviceProfile& profile_;
    StreamClock clock_;
    bool isThere_;  ///< since an earlier run
    bool isUploaded_ = false;
    std::vector<bool> came_;                ///< residents, since it arrived
    std::set<uint32_t> begun_{};            ///< patterns of forwards, likewise
    std::map<uint32_t, Bytes> streamed_{};  ///< by pattern, those that were asked for
};

/// What an earlier residency of the component left pinned, in this run or before it.
Bytes pinnedBefore(uint32_t index,
                   const PlanRequest& request,
                   const Intervals& intervals,
                   const std::vector<ChosenLayout>& layouts) {
    const uint32_t component = intervals.residencies[index].component;
    Bytes pinned = 0;
    for (uint32_t residency = 0; residency < index; ++residency) {
        pinned = intervals.residencies[residency].component == component ? layouts[residency].pinned
                                                                         : pinned;
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
    const PlannedResidency residency{intervals.residencies[index], layouts[index]};
    const PlannedComponent& component = intervals.components[residency.component];
    ResidencyClock clock(residency,
                         *component.tree,
                         deviceOf(request, component.device).profile,
                         pinnedBefore(index, request, intervals, layouts));
    for (const PlannedUse& use : intervals.uses) {
        if (use.residency != index) {
            continue;
        }
        for (const Absence& absence : residency.absences) {
            if (absence.until == use.node) {
                clock.uploadEarly(stages[residency.first]);
                clock.leave();
            }
        }
        const NodeWork& node = request.nodes[use.node];
        clock.use(workOf(node, *component.tree),
                  burstsOf(request, intervals, use),
                  node.pace,
                  stages[use.node]);
    }
    return stages;
}

}  // namespace lowtide::memory
