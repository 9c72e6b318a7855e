#include "plugin/memory/plan_times.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan_stays.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace lowtide::memory {

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
