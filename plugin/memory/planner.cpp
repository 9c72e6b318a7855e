#include "plugin/memory/planner.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"

#include <algorithm>
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

/// The places of `count` out of `n`: the i-th is (i * n + count / 2) / count, without a division
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
        place += step_;
        behind_ += rest_;
        if (behind_ >= count_) {
            ++place;
            behind_ -= count_;
        }
    }

    size_t place = 0;
    size_t left;  ///< places, this one included

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
    layout.order = groupOrder(layout, request.work->pass);
    for (const auto& [number, pattern] : request.work->others) {
        layout.otherOrders[number] = groupOrder(layout, pattern);
    }
}

void narrowResidents(Layout& layout, const ComponentTree& tree) {
    if (tree.changes.empty()) {
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
            bytes += sizes[stride.place];
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
        flags[candidates_[stride.place]] = true;
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
        own.room = std::min(request.room, *request.policy.budget);
        return fastestLayout(std::move(layout), own);
    }
    const double floors = layout.prefetches && layout.mostInRing == 0 ? kMostRingFloors : 1;
    placeGroups(layout, std::vector<bool>(layout.groups.size(), false), request.room, floors);
    narrowResidents(layout, request.tree);
    return layout;
}

}  // namespace lowtide::memory
