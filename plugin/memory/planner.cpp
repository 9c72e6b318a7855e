#include "plugin/memory/planner.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace lowtide::memory {

namespace {

std::vector<GroupId> groupOrder(const Layout& layout, const AccessPattern& pattern) {
    std::vector<GroupId> order;
    for (const LeafUse& use : pattern) {
        for (const GroupId group : layout.leafGroups[use.leaf]) {
            if (order.empty() || order.back() != group) {
                order.push_back(group);
            }
        }
    }
    return order;
}

void leaveOutUnleased(Layout& layout, const std::vector<bool>& leased) {
    std::vector<bool> isUsed(layout.groups.size(), false);
    for (LeafId leaf = 0; leaf < layout.leafGroups.size(); ++leaf) {
        for (const GroupId group : layout.leafGroups[leaf]) {
            isUsed[group] = isUsed[group] || leased[leaf];
        }
    }
    for (GroupId group = 0; group < layout.groups.size(); ++group) {
        if (!isUsed[group]) {
            Group& own = layout.groups[group];
            own = {.name = std::move(own.name), .storages = {}, .isShared = own.isShared};
        }
    }
}

/// The positions of `count` out of `n`: the i-th is (i * n + count / 2) / count, without a division
/// for each.
struct Stride {
    Stride(size_t n, size_t count)
        : left(count),
          step_(count > 0 ? n / count : 0),
          rest_(count > 0 ? n % count : 0),
          count_(count),
          behind_(count / 2) {}

    void next() {
        --left;
        index += step_;
        behind_ += rest_;
        if (behind_ >= count_) {
            ++index;
            behind_ -= count_;
        }
    }

    size_t index = 0;
    size_t left;  ///< positions, this one included

private:
    size_t step_;
    size_t rest_;
    size_t count_;
    size_t behind_;  ///< in parts of `count`
};

}  // namespace

void applyRequest(Layout& layout, const LayoutRequest& request) {
    layout.isInPlace = isUsedInPlace(request.tree, request.traits);
    if (request.leased) {
        leaveOutUnleased(layout, *request.leased);
    }
    if (!request.work) {
        return;
    }
    layout.order = groupOrder(layout, request.work->forward);
    for (const auto& [number, pattern] : request.work->others) {
        layout.otherOrders[number] = groupOrder(layout, pattern);
    }
}

void narrowResidents(Layout& layout, const ComponentTree& tree) {
    if (tree.deltas.empty()) {
        return;
    }
    const std::vector<Bytes> held = tree.bytesOfStorages();
    layout.residentBytes = 0;
    for (Group& group : layout.groups) {
        if (!group.isResident) {
            continue;
        }
        group.bytes = 0;
        for (size_t i = 0; i < group.storages.size(); ++i) {
            group.offsets[i] = group.bytes;
            group.bytes += alignUp(held[group.storages[i]], kSlotAlignment);
        }
        group.residentOffset = layout.residentBytes;
        layout.residentBytes += group.bytes;
    }
}

std::vector<GroupId> streamableGroups(const Layout& layout) {
    std::vector<GroupId> groups;
    std::vector<bool> isKnown(layout.groups.size(), false);
    for (const GroupId group : layout.order) {
        if (!isKnown[group] && !layout.groups[group].isShared) {
            groups.push_back(group);
        }
        isKnown[group] = true;
    }
    return groups;
}

StridedResidents::StridedResidents(const Layout& layout)
    : groupCount_(layout.groups.size()), candidates_(streamableGroups(layout)) {
    std::vector<Bytes> sizes;
    for (const GroupId group : candidates_) {
        sizes.push_back(layout.groups[group].bytes);
    }
    for (size_t count = 1; count <= sizes.size(); ++count) {
        Bytes bytes = 0;
        for (Stride stride(sizes.size(), count); stride.left > 0; stride.next()) {
            bytes += sizes[stride.index];
        }
        taken_.push_back(bytes);
    }
}

std::vector<bool> StridedResidents::within(Bytes bytes) const {
    size_t best = 0;
    Bytes most = 0;
    for (size_t count = 1; count <= taken_.size(); ++count) {
        if (taken_[count - 1] <= bytes && taken_[count - 1] > most) {
            most = taken_[count - 1];
            best = count;
        }
    }
    std::vector<bool> flags(groupCount_, false);
    for (Stride stride(candidates_.size(), best); stride.left > 0; stride.next()) {
        flags[candidates_[stride.index]] = true;
    }
    return flags;
}

Layout wholeLayout(const LayoutRequest& request) {
    Layout layout = groupByLeaf(request.tree);
    applyRequest(layout, request);
    makeAllResident(layout);
    narrowResidents(layout, request.tree);
    return layout;
}

Layout streamedLayout(Layout layout, const LayoutRequest& request) {
    applyRequest(layout, request);
    layout.prefetches = request.policy.stream;
    if (request.policy.budget) {
        LayoutRequest own = request;
        own.space = std::min(request.space, *request.policy.budget);
        return fastestLayout(std::move(layout), own);
    }
    const double floors =
        layout.prefetches && layout.mostInRingBuffer == 0 ? kMostRingBufferFloors : 1;
    layOutGroups(layout, std::vector<bool>(layout.groups.size(), false), request.space, floors);
    narrowResidents(layout, request.tree);
    return layout;
}

namespace {

constexpr size_t kMostForAllSubsets = 12;  ///< groups of which every subset is tried
constexpr size_t kMostStrides = 48;        ///< else so many evenly spread choices are
constexpr int64_t kTimedForwards = 3;      ///< then every further forward takes as long as the last
constexpr int64_t kTimedOfSequence = 6;    ///< where forwards differ: a few of each

/// Looks for the residents with which the forwards take the shortest time.
class Search {
public:
    Search(Layout layout, const LayoutRequest& request)
        : request_(request), layout_(std::move(layout)), groups_(streamableGroups(layout_)) {
        if (request.work) {
            uses_ = groupUses(layout_, request.work->forward, request.profile);
        } else {
            for (const GroupId& group : layout_.order) {
                uses_.push_back({std::span(&group, 1), request.profile.leafOverhead});
            }
        }
        if (request.work && !request.work->sequence.empty()) {
            patterns_.emplace(layout_, *request.work, request.profile);
        }
    }

    Layout best() {
        std::vector<bool> nobody(layout_.groups.size(), false);
        Layout smallest = layout_;
        layOutGroups(smallest, nobody, request_.space, kMostRingBufferFloors);
        if (smallest.bytes() > request_.space) {
            return smallest;
        }
        scratch_ = layout_;
        tryResidents(nobody);
        if (groups_.size() <= kMostForAllSubsets) {
            tryAllSubsets();
        } else {
            const std::vector<bool> favoured = usedByOtherPatterns();
            const StridedResidents strides(layout_);
            tryStrides(smallest, strides, nobody);
            if (favoured != nobody) {
                tryStrides(smallest, strides, favoured);
            }
        }
        layOutGroups(
            layout_, residents_[bestChoice(costs_)], request_.space, kMostRingBufferFloors);
        narrowResidents(layout_, request_.tree);
        return std::move(layout_);
    }

private:
    void tryAllSubsets() {
        for (uint32_t subset = 1; subset < (1u << groups_.size()); ++subset) {
            std::vector<bool> resident(layout_.groups.size(), false);
            for (size_t i = 0; i < groups_.size(); ++i) {
                resident[groups_[i]] = (subset >> i & 1u) != 0;
            }
            tryResidents(resident);
        }
    }

    /// What short forwards need too, which leave less time to copy it.
    [[nodiscard]] std::vector<bool> usedByOtherPatterns() const {
        std::vector<bool> used(layout_.groups.size(), false);
        for (const auto& [number, order] : layout_.otherOrders) {
            for (const GroupId group : order) {
                used[group] = true;
            }
        }
        return used;
    }

    /// Evenly spread residents out of different fractions of the space next to the `favoured` ones;
    /// the ring buffer gets the rest.
    void tryStrides(const Layout& smallest,
                    const StridedResidents& strides,
                    const std::vector<bool>& favoured) {
        Bytes spare = request_.space - smallest.residentBytes;
        for (GroupId group = 0; group < favoured.size(); ++group) {
            spare -= favoured[group] ? layout_.groups[group].bytes : 0;
        }
        for (size_t i = 0; i <= kMostStrides && spare > 0; ++i) {
            const auto fraction = static_cast<double>(i) / kMostStrides;
            std::vector<bool> resident =
                strides.within(static_cast<Bytes>(fraction * static_cast<double>(spare)));
            for (GroupId group = 0; group < favoured.size(); ++group) {
                resident[group] = resident[group] || favoured[group];
            }
            tryResidents(resident);
        }
    }

    void tryResidents(std::vector<bool> resident) {
        if (!residents_.empty() && residents_.back() == resident) {
            return;
        }
        layOutGroups(scratch_, resident, request_.space, kMostRingBufferFloors);
        if (scratch_.bytes() > request_.space) {
            return;
        }
        costs_.push_back(costOf(scratch_));
        residents_.push_back(std::move(resident));
    }

    [[nodiscard]] ChoiceCost costOf(const Layout& layout) const {
        const int64_t forwards = request_.work ? request_.work->forwards : 1;
        const int64_t timed = std::min(forwards, patterns_ ? kTimedOfSequence : kTimedForwards);
        StreamClock clock(layout, forwards, request_.profile, {.most = request_.pinnable});
        clock.upload(false);
        StreamTimes before;
        for (int64_t forward = 0; forward < timed; ++forward) {
            before = clock.times();
            const ForwardHint hint = patterns_ ? request_.work->hint(forward) : ForwardHint();
            clock.runForward(patterns_ ? patterns_->of(hint.pattern) : uses_, hint);
        }
        const StreamTimes after = clock.times();
        const auto others = static_cast<double>(patterns_ ? 0 : forwards - timed);
        return {.seconds = after.total + others * (after.total - before.total),
                .moved = static_cast<double>(after.moved) +
                         others * static_cast<double>(after.moved - before.moved)};
    }

    const LayoutRequest& request_;
    Layout layout_;
    Layout scratch_;               ///< the same with the residents that are tried
    std::vector<GroupId> groups_;  ///< that a forward uses, each once
    std::vector<GroupUse> uses_;
    std::optional<ForwardUses> patterns_;       ///< where forwards differ
    std::vector<std::vector<bool>> residents_;  ///< that were tried
    std::vector<ChoiceCost> costs_;             ///< of them
};

}  // namespace

Layout fastestLayout(Layout layout, const LayoutRequest& request) {
    Layout whole = layout;
    makeAllResident(whole);
    narrowResidents(whole, request.tree);
    return whole.bytes() <= request.space ? whole : Search(std::move(layout), request).best();
}

namespace {

/// The least memory: a leaf arrives when it is used and makes space for the next one.
Layout sequentialLayout(const LayoutRequest& request) {
    Layout layout = groupByLeaf(request.tree);
    layout.mostInRingBuffer = 1;
    return streamedLayout(std::move(layout), request);
}

/// Every forward streams its blocks; with +stream one group is copied while another computes.
Layout blockLayout(const LayoutRequest& request) {
    Layout layout = groupByBlock(request.tree, request.policy.blocksPerGroup);
    layout.mostInRingBuffer = request.policy.stream ? 2 : 1;
    return streamedLayout(std::move(layout), request);
}

/// Every forward streams its leaves; with +stream copies run ahead through a ring buffer.
Layout leafLayout(const LayoutRequest& request) {
    Layout layout = groupByLeaf(request.tree);
    layout.mostInRingBuffer = request.policy.stream ? 0 : 1;
    return streamedLayout(std::move(layout), request);
}

/// Whole where there is space, else leaf by leaf with as much resident as makes it fastest.
Layout automaticLayout(const LayoutRequest& request) {
    Layout layout = groupByLeaf(request.tree);
    applyRequest(layout, request);
    layout.prefetches = true;
    return fastestLayout(std::move(layout), request);
}

}  // namespace

std::span<const PlannerType> planners() {
    static const std::array kTypes = {
        PlannerType{
            .name = "auto",
            .summary = message("the fastest that fits the budget: whole, or partly streamed"),
            .lifetime = Lifetime::Uses,
            .mayPin = true,
            .mayKeep = true,
            .lay = automaticLayout},
        PlannerType{.name = "block",
                    .summary = message(
                        "block by block in every forward pass; its own budget sets what is kept"),
                    .lifetime = Lifetime::Stage,
                    .mayStream = true,
                    .takesBudget = true,
                    .mayPin = true,
                    .lay = blockLayout},
        PlannerType{.name = "leaf",
                    .summary = message(
                        "leaf by leaf in every forward pass; its own budget sets what is kept"),
                    .lifetime = Lifetime::Stage,
                    .mayStream = true,
                    .takesBudget = true,
                    .mayPin = true,
                    .lay = leafLayout},
        PlannerType{.name = "model",
                    .summary = message(
                        "whole while its stage runs; at most one such component is on the device"),
                    .lifetime = Lifetime::Burst,
                    .mayStream = true,
                    .mayKeep = true,
                    .lay = wholeLayout},
        PlannerType{.name = "none",
                    .summary = message("on the device from first use to the end of the run"),
                    .lifetime = Lifetime::Run,
                    .mayKeep = true,
                    .lay = wholeLayout},
        PlannerType{
            .name = "sequential",
            .summary = message("one leaf at a time; nothing is kept, nothing is copied ahead"),
            .lifetime = Lifetime::Stage,
            .mayPin = true,
            .lay = sequentialLayout},
    };
    return kTypes;
}

const PlannerType* findPlanner(std::string_view name) {
    const auto all = planners();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& type) { return type.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace lowtide::memory
