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

std::vector<bool> stridedResidents(const Layout& layout, Bytes bytes) {
    const std::vector<GroupId> candidates = streamableGroups(layout);
    std::vector<bool> best(layout.groups.size(), false);
    Bytes most = 0;
    const size_t n = candidates.size();
    for (size_t k = 1; k <= n; ++k) {
        std::vector<bool> flags(layout.groups.size(), false);
        Bytes taken = 0;
        for (size_t i = 0; i < k; ++i) {
            const auto place = std::min(n - 1, (i * n + k / 2) / k);
            flags[candidates[place]] = true;
            taken += layout.groups[candidates[place]].bytes;
        }
        if (taken <= bytes && taken > most) {
            most = taken;
            best = std::move(flags);
        }
    }
    return best;
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
