#include "plugin/memory/stream_clock.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::memory {

StreamClock::StreamClock(const Layout& layout,
                         int64_t forwards,
                         const DeviceProfile& profile,
                         PinnedSpace pinned)
    : layout_(layout),
      profile_(profile),
      stream_(layout, forwards),
      uploadOrder_(layout),
      isThere_(layout.groups.size(), false),
      isPinned_(layout.pinnedWithin(pinned.most)),
      isFilled_(layout.pinnedWithin(std::min(pinned.most, pinned.filled))),
      ready_(layout.groups.size(), 0),
      lastUse_(layout.groups.size(), 0),
      changes_(layout.groups.size(), 0) {}

void StreamClock::upload(bool isWhole) {
    uploadOrder_.begin();
    take(stream_.prefetch());
    if (isWhole || layout_.isFullyResident() || !layout_.prefetches) {
        bringResidents(uploadOrder_.rest());
    }
    for (GroupId group = 0; isWhole && group < layout_.groups.size(); ++group) {
        bringResident(group);
    }
}

void StreamClock::leave() {
    isThere_.assign(isThere_.size(), false);
    stream_.clear();
}

void StreamClock::runForward(const std::vector<GroupUse>& forward, const ForwardHint& hint) {
    stream_.beginForward(hint);
    for (const GroupUse& use : forward) {
        const bool isUsable = stream_.use(use.groups, steps_);
        LOWTIDE_ASSERT(isUsable);  // nothing is leased
        take(steps_);
        for (const GroupId group : use.groups) {
            bringResident(group);
            computeFree_ = std::max(computeFree_, ready_[group]);
        }
        Seconds compute = use.compute;
        for (const GroupId group : use.groups) {
            compute += std::exchange(changes_[group], 0);
        }
        computeFree_ += compute;
        for (const GroupId group : use.groups) {
            lastUse_[group] = computeFree_;
        }
        times_.compute += compute;
    }
}

StreamTimes StreamClock::times() const {
    StreamTimes times = times_;
    times.total = computeFree_;
    times.misses = stream_.misses();
    return times;
}

void StreamClock::take(const std::vector<StreamStep>& steps) {
    for (const StreamStep& step : steps) {
        if (step.kind == StreamStep::Kind::Evict) {
            copyFree_ = std::max(copyFree_, lastUse_[step.group]);
        } else {
            bringResidents(uploadOrder_.before(step.group));
            copyFree_ = layout_.prefetches ? copyFree_ : std::max(copyFree_, computeFree_);
            copy(step.group);
            bringResidents(uploadOrder_.after(step.group));
        }
    }
}

void StreamClock::bringResidents(std::span<const GroupId> groups) {
    for (const GroupId group : groups) {
        bringResident(group);
    }
}

void StreamClock::bringResident(GroupId group) {
    if (layout_.groups[group].isResident && !isThere_[group]) {
        isThere_[group] = true;
        copy(group);
    }
}

void StreamClock::copy(GroupId group) {
    const Seconds seconds = secondsOfCopy(group);
    copyFree_ += seconds;
    computeFree_ += profile_.computeOfCopies * seconds;
    ready_[group] = copyFree_;
    changes_[group] = profile_.deltaSeconds(layout_.groups[group].deltaFlops);
    times_.copy += seconds;
    times_.moved += layout_.isInPlace ? 0 : layout_.groups[group].contentBytes;
}

Seconds StreamClock::secondsOfCopy(GroupId group) {
    const Group& each = layout_.groups[group];
    if (layout_.isInPlace) {
        return profile_.mappedSeconds(each.contentBytes);
    }
    const bool isRead = !isFilled_[group];
    isFilled_[group] = isFilled_[group] || isPinned_[group];
    return isRead ? profile_.copySeconds(each.contentBytes, each.convertedBytes)
                  : profile_.pinnedSeconds(each.contentBytes);
}

std::vector<GroupUse> groupUses(const Layout& layout,
                                const AccessPattern& forward,
                                const DeviceProfile& profile) {
    std::vector<GroupUse> uses;
    for (const LeafUse& use : forward) {
        const std::vector<GroupId>& groups = layout.leafGroups[use.leaf];
        if (groups.empty()) {
            continue;
        }
        if (uses.empty() || !std::ranges::equal(uses.back().groups, groups)) {
            uses.push_back({.groups = groups});
        }
        const LeafFacts& leaf = layout.leaves[use.leaf];
        uses.back().compute += profile.leafSeconds(use.flops, leaf.compute, leaf.bytes) +
                               profile.deltaSeconds(leaf.deltaFlops);
    }
    return uses;
}

ForwardUses::ForwardUses(const Layout& layout,
                         const ComponentWork& work,
                         const DeviceProfile& profile) {
    uses_[0] = groupUses(layout, work.forward, profile);
    for (const auto& [number, pattern] : work.others) {
        uses_[number] = groupUses(layout, pattern, profile);
    }
}

const std::vector<GroupUse>& ForwardUses::of(uint32_t pattern) const {
    const auto found = uses_.find(pattern);
    return found == uses_.end() ? uses_.at(0) : found->second;
}

void runForwards(StreamClock& clock,
                 const ForwardUses& uses,
                 const ComponentWork& work,
                 int64_t forwards) {
    for (int64_t forward = 0; forward < forwards; ++forward) {
        const ForwardHint hint = work.hint(forward);
        clock.runForward(uses.of(hint.pattern), hint);
    }
}

namespace {

/// Predictions that are as close as that are equal.
constexpr double kEqualTimes = 1e-3;

}  // namespace

size_t bestChoice(const std::vector<ChoiceCost>& choices) {
    const auto fastest = std::min_element(
        choices.begin(), choices.end(), [](const ChoiceCost& left, const ChoiceCost& right) {
            return left.seconds < right.seconds;
        });
    size_t best = static_cast<size_t>(fastest - choices.begin());
    for (size_t i = 0; i < choices.size(); ++i) {
        const bool isFast = choices[i].seconds <= fastest->seconds * (1 + kEqualTimes);
        const bool isLess = choices[i].moved < choices[best].moved;
        best = isFast && isLess ? i : best;
    }
    return best;
}

}  // namespace lowtide::memory
