#include "plugin/memory/planner.hpp"

#include <algorithm>

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

}  // namespace

void applyRequest(Layout& layout, const LayoutRequest& request) {
    layout.isInPlace = isUsedInPlace(request.tree, request.traits);
    if (!request.work) {
        return;
    }
    layout.order = groupOrder(layout, request.work->pass);
    for (const auto& [number, pattern] : request.work->others) {
        layout.otherOrders[number] = groupOrder(layout, pattern);
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
    for (size_t count = 1; count <= candidates_.size(); ++count) {
        Bytes bytes = 0;
        for (size_t i = 0; i < count; ++i) {
            bytes += layout.groups[candidates_[place(i, count)]].bytes;
        }
        taken_.push_back(bytes);
    }
}

size_t StridedResidents::place(size_t i, size_t count) const {
    const size_t n = candidates_.size();
    return std::min(n - 1, (i * n + count / 2) / count);
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
    for (size_t i = 0; i < best; ++i) {
        flags[candidates_[place(i, best)]] = true;
    }
    return flags;
}

Layout wholeLayout(const LayoutRequest& request) {
    Layout layout = groupByLeaf(request.tree);
    applyRequest(layout, request);
    makeAllResident(layout);
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
    return layout;
}

}  // namespace lowtide::memory
