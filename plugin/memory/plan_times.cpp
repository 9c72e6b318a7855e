#include "plugin/memory/plan_times.hpp"

#include "plugin/memory/plan_stays.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <optional>

namespace lowtide::memory {

namespace {

/// One stay from use to use; after an absence it arrives once more.
class StayClock {
public:
    StayClock(const PlannedStay& stay, const ComponentTree& tree, const DeviceProfile& profile)
        : stay_(stay), tree_(tree), profile_(profile), isThere_(stay.isThere) {
        clock_.emplace(*stay_.layout, stay_.passes, profile_);
    }

    /// What comes before the first node that uses it, and is sent away again.
    void arriveEarly(StagePlan& stage) {
        const StreamTimes before = clock_->times();
        arrive(stage);
        stage.moved += clock_->times().moved - before.moved;
    }

    void leave() {
        clock_.emplace(*stay_.layout, stay_.passes, profile_);
        isThere_ = false;
        hasArrived_ = false;
    }

    void use(const ComponentWork* work, StagePlan& stage) {
        if (!work) {
            const Bytes bytes = isThere_ || hasArrived_ ? 0 : tree_.deviceBytes();
            stage.moved += bytes;
            stage.needed += bytes;
            hasArrived_ = true;
            return;
        }
        const StreamTimes before = clock_->times();
        arrive(stage);
        runPasses(*work, stage);
        const StreamTimes after = clock_->times();
        stage.seconds += isThere_ ? after.compute - before.compute : after.total - before.total;
        stage.moved += isThere_ ? 0 : after.moved - before.moved;
    }

private:
    void runPasses(const ComponentWork& work, StagePlan& stage) {
        const PassUses uses(*stay_.layout, work, profile_);
        for (int64_t pass = 0; pass < work.passes; ++pass) {
            const PassHint hint = work.hint(pass);
            const Bytes before = clock_->times().moved;
            clock_->runPass(uses.of(hint.pattern), hint);
            PatternTraffic& pattern = stage.patterns[hint.pattern];
            ++pattern.passes;
            pattern.moved += isThere_ ? 0 : clock_->times().moved - before;
            stage.needed += isThere_ ? 0 : stay_.layout->streamedBytes(hint.pattern);
        }
    }

    void arrive(StagePlan& stage) {
        if (isThere_ || std::exchange(hasArrived_, true)) {
            return;
        }
        clock_->arrive(stay_.isKept);
        const Layout& layout = *stay_.layout;
        for (GroupId group = 0; group < layout.groups.size(); ++group) {
            const bool comes =
                stay_.isKept ||
                std::find(layout.order.begin(), layout.order.end(), group) != layout.order.end();
            stage.needed +=
                comes && layout.groups[group].isResident ? layout.groups[group].contentBytes : 0;
        }
    }

    const PlannedStay& stay_;
    const ComponentTree& tree_;
    const DeviceProfile& profile_;
    std::optional<StreamClock> clock_;
    bool isThere_;  ///< since an earlier run
    bool hasArrived_ = false;
};

}  // namespace

const ComponentWork* workOf(const NodeWork& node, const ComponentTree& tree) {
    for (const ComponentWork& work : node.work.components) {
        if (work.tree->id == tree.id) {
            return &work;
        }
    }
    return nullptr;
}

void predictStay(Plan& plan, const PlanRequest& request, uint32_t index) {
    const PlannedStay& stay = plan.stays[index];
    const PlannedComponent& component = plan.components[stay.component];
    StayClock clock(stay, *component.tree, deviceOf(request, component.device).profile);
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
        clock.use(workOf(request.nodes[use.node], *component.tree), stage);
    }
}

}  // namespace lowtide::memory
