#include "plugin/memory/plan_layouts.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace lowtide::memory {

namespace {

/// The first pass is computed, and taking the second down costs about as much as computing it.
constexpr int64_t kLeastReplayed = 4;
constexpr Bytes kUnbounded = std::numeric_limits<Bytes>::max() / 4;

Bytes leftAt(NodeIndex node, const std::string& device, const Demand& demand) {
    Bytes left = kUnbounded;
    for (size_t i = 0; i < demand.devices.size(); ++i) {
        const StageBytes& bytes = demand.stages[node].bytes[i];
        const Bytes capacity = demand.devices[i].capacity;
        left = capacity > 0 && bytes.device == device ? capacity - bytes.room() : left;
    }
    return left;
}

/// What the nodes from `first` on leave of the host: pinned memory stays to the end.
Bytes hostLeftFrom(NodeIndex first, const Demand& demand) {
    Bytes left = kUnbounded;
    for (NodeIndex node = first; node < demand.stages.size(); ++node) {
        left = std::min(left, leftAt(node, "cpu", demand));
    }
    return left;
}

}  // namespace

Sizes Sizer::smallest() const {
    return laidOut(0);
}

Sizes Sizer::largest() const {
    return laidOut(kUnbounded);
}

Sizes Sizer::grown(Sizes sizes) const {
    for (uint32_t stay = 0; stay < intervals_.stays.size(); ++stay) {
        for (const std::vector<uint32_t>& stays : intervals_.together) {
            if (stays.front() == stay) {
                sizes = grownTogether(sizes, stays);
            }
        }
        const Bytes taken = sizes.demand.places[intervals_.stays[stay].place].bytes;
        sizes = laidAgain(sizes, {stay}, {leftFor(stay, sizes.demand) + taken});
    }
    return sizes;
}

Sizes Sizer::withReplays(Sizes sizes) const {
    for (uint32_t stay = 0; stay < intervals_.stays.size(); ++stay) {
        const auto& groups = sizes.layouts[stay].layout->groups;
        const bool isStill = std::all_of(
            groups.begin(), groups.end(), [](const Group& each) { return each.isResident; });
        if (isStill && !intervals_.stays[stay].takesTurns && deviceOfStay(stay).traits.replays &&
            mostPassesOf(stay) >= kLeastReplayed) {
            std::vector<ChosenLayout> layouts = sizes.layouts;
            layouts[stay].replays = true;
            Sizes replayed = measured(std::move(layouts));
            if (leftFor(stay, replayed.demand) >= 0) {
                sizes = std::move(replayed);
            }
        }
    }
    return sizes;
}

Sizes Sizer::withPins(Sizes sizes) const {
    for (uint32_t stay = 0; stay < intervals_.stays.size(); ++stay) {
        const Bytes wanted = pinnableAtMost(stay, *sizes.layouts[stay].layout);
        if (wanted > 0) {
            sizes.layouts[stay].pinned = std::min(pinRoom(stay, sizes), wanted);
            sizes = measured(std::move(sizes.layouts));
        }
    }
    return sizes;
}

Plan Sizer::planOf(Sizes sizes, const Demand& smallest) const {
    Plan plan;
    plan.components = intervals_.components;
    plan.places = std::move(sizes.demand.places);
    plan.uses = intervals_.uses;
    plan.stages = std::move(sizes.demand.stages);
    plan.devices = std::move(sizes.demand.devices);
    plan.unpinned = unpinnedFor(sizes);
    for (uint32_t stay = 0; stay < intervals_.stays.size(); ++stay) {
        plan.stays.push_back({intervals_.stays[stay], sizes.layouts[stay]});
        plan.stages =
            withTimesOf(stay, std::move(plan.stages), request_, intervals_, sizes.layouts);
    }
    for (size_t i = 0; i < plan.devices.size(); ++i) {
        plan.devices[i].minimum = smallest.devices[i].room - request_.devices[i].droppable;
    }
    return plan;
}

Sizes Sizer::measured(std::vector<ChosenLayout> layouts) const {
    Demand demand = demandOf(request_, intervals_, layouts);
    return {.layouts = std::move(layouts), .demand = std::move(demand)};
}

Sizes Sizer::laidOut(Bytes room) const {
    std::vector<uint32_t> all(intervals_.stays.size());
    std::iota(all.begin(), all.end(), uint32_t{0});
    const Sizes nothing{.layouts = std::vector<ChosenLayout>(all.size()), .demand = {}};
    return laidAgain(nothing, all, std::vector<Bytes>(all.size(), room));
}

Sizes Sizer::laidAgain(const Sizes& sizes,
                       const std::vector<uint32_t>& stays,
                       const std::vector<Bytes>& rooms) const {
    std::vector<ChosenLayout> layouts = sizes.layouts;
    for (size_t i = 0; i < stays.size(); ++i) {
        layouts[stays[i]].layout = layoutIn(rooms[i], stays[i], sizes);
    }
    return measured(std::move(layouts));
}

/// Each division is tried beside what the host has left after the one before.
Sizes Sizer::grownTogether(const Sizes& sizes, const std::vector<uint32_t>& stays) const {
    Bytes left = kUnbounded;
    Bytes taken = 0;
    std::vector<RoomClaim> claims;
    for (const uint32_t stay : stays) {
        left = std::min(left, leftFor(stay, sizes.demand));
        taken += sizes.demand.places[intervals_.stays[stay].place].bytes;
        claims.push_back(claimOf(stay, sizes));
    }
    std::vector<Sizes> tried;
    std::vector<ChoiceCost> costs;
    for (const std::vector<Bytes>& shares : dividedRooms(claims, left + taken)) {
        tried.push_back(laidAgain(tried.empty() ? sizes : tried.back(), stays, shares));
        costs.push_back(costOf(stays, tried.back()));
    }
    return std::move(tried[bestChoice(costs)]);
}

std::shared_ptr<const Layout> Sizer::layoutIn(Bytes room,
                                              uint32_t index,
                                              const Sizes& sizes) const {
    const ComponentInterval& stay = intervals_.stays[index];
    const PlanDevice& device = deviceOfStay(index);
    const PlannedUse& use = useOf(index);
    const std::vector<bool> leased = leasedLeaves(index);
    const LayoutRequest request{.tree = *intervals_.components[stay.component].tree,
                                .traits = device.traits,
                                .profile = device.profile,
                                .policy = use.policy,
                                .work = workOfUse(use),
                                .room = stay.isThere ? kUnbounded : room,  // it is there whole
                                .pinnable = pinRoom(index, sizes),
                                .leased = leased.empty() ? nullptr : &leased};
    return std::make_shared<const Layout>(findPlanner(stay.planner)->lay(request));
}

ChoiceCost Sizer::costOf(const std::vector<uint32_t>& stays, const Sizes& sizes) const {
    std::vector<StagePlan> stages = sizes.demand.stages;
    for (const uint32_t stay : stays) {
        std::vector<ChosenLayout> layouts = sizes.layouts;
        layouts[stay].pinned = pinRoom(stay, sizes);
        stages = withTimesOf(stay, std::move(stages), request_, intervals_, layouts);
    }
    const StagePlan& stage = stages[intervals_.stays[stays.front()].first];
    return {.seconds = stage.seconds, .moved = static_cast<double>(stage.moved)};
}

RoomClaim Sizer::claimOf(uint32_t stay, const Sizes& sizes) const {
    const Layout& smallest = *sizes.layouts[stay].layout;
    const auto largest = layoutIn(kUnbounded, stay, sizes);
    const PassTimes tight = timesOf(stay, smallest, sizes);
    return {.least = smallest.bytes(),
            .most = std::max(smallest.bytes(), largest->bytes()),
            .copies = tight.copies,
            .leastCopies = timesOf(stay, *largest, sizes).copies,
            .hidden = smallest.prefetches ? tight.compute : 0,
            .passes = intervals_.stays[stay].passes};
}

Sizer::PassTimes Sizer::timesOf(uint32_t stay, const Layout& layout, const Sizes& sizes) const {
    const ComponentWork* work = workOfUse(useOf(stay));
    if (!work) {
        return {};
    }
    const DeviceProfile& profile = deviceOfStay(stay).profile;
    const std::vector<bool> isPinned = layout.pinnedWithin(pinRoom(stay, sizes));
    PassTimes times;
    const PassUses uses(layout, *work, profile);
    for (int64_t pass = 0; pass < work->passes; ++pass) {
        const uint32_t pattern = work->hint(pass).pattern;
        for (const GroupUse& use : uses.of(pattern)) {
            times.compute += use.compute;
        }
        for (const GroupId group : layout.orderOf(pattern)) {
            const Group& each = layout.groups[group];
            const Seconds copy = isPinned[group]
                                     ? profile.pinnedSeconds(each.contentBytes)
                                     : profile.copySeconds(each.contentBytes, each.convertedBytes);
            times.copies += each.isResident ? 0 : copy;
        }
    }
    const auto passes = static_cast<double>(std::max<int64_t>(1, work->passes));
    return {.copies = times.copies / passes, .compute = times.compute / passes};
}

int64_t Sizer::mostPassesOf(uint32_t stay) const {
    int64_t most = 0;
    for (const PlannedUse& use : intervals_.uses) {
        const ComponentWork* work = use.stay == stay ? workOfUse(use) : nullptr;
        most = std::max(most, work ? work->passes : 0);
    }
    return most;
}

std::vector<PinnedComponent> Sizer::unpinnedFor(const Sizes& sizes) const {
    bool wantsMore = false;
    for (uint32_t stay = 0; stay < intervals_.stays.size(); ++stay) {
        const ChosenLayout& own = sizes.layouts[stay];
        wantsMore = wantsMore || own.pinned < pinnableAtMost(stay, *own.layout);
    }
    std::vector<PinnedComponent> unpinned;
    for (const PinnedComponent& pinned : request_.pinned) {
        if (wantsMore && !usesOn(request_, pinned.tree, pinned.device)) {
            unpinned.push_back(pinned);
        }
    }
    return unpinned;
}

Bytes Sizer::pinnableAtMost(uint32_t stay, const Layout& layout) const {
    if (layout.isInPlace || intervals_.stays[stay].passes == 1) {
        return 0;
    }
    Bytes streamed = 0;
    for (const Group& group : layout.groups) {
        streamed += group.isResident ? 0 : group.bytes;
    }
    const std::optional<Bytes> cap = useOf(stay).policy.pinCap;
    return std::min(streamed, cap.value_or(deviceOfStay(stay).traits.pinnable));
}

/// A user's cap counts for its stay alone, a device's for all that is pinned for it.
Bytes Sizer::pinRoom(uint32_t index, const Sizes& sizes) const {
    const ComponentInterval& stay = intervals_.stays[index];
    if (stay.passes == 1) {
        return 0;
    }
    const Bytes host = std::max<Bytes>(
        0, hostLeftFrom(stay.first, sizes.demand) + pinnedOf(stay.component, sizes));
    if (const std::optional<Bytes> cap = useOf(index).policy.pinCap) {
        return std::min(*cap, host);
    }
    const std::string device = deviceOfStay(index).spec.id();
    Bytes left = deviceOfStay(index).traits.pinnable;
    for (uint32_t component = 0; component < intervals_.components.size(); ++component) {
        const bool isOther =
            component != stay.component && intervals_.components[component].device.id() == device;
        left -= isOther ? pinnedOf(component, sizes) : 0;
    }
    for (const PinnedComponent& pinned : request_.pinned) {
        const bool isForeign = pinned.device == device && !usesOn(request_, pinned.tree, device);
        left -= isForeign ? pinned.bytes : 0;
    }
    return std::clamp<Bytes>(left, 0, host);
}

Bytes Sizer::pinnedOf(uint32_t component, const Sizes& sizes) const {
    Bytes pinned = 0;
    for (uint32_t stay = 0; stay < intervals_.stays.size(); ++stay) {
        const bool isOwn = intervals_.stays[stay].component == component;
        pinned = std::max(pinned, isOwn ? sizes.layouts[stay].pinned : 0);
    }
    return pinned;
}

Bytes Sizer::leftFor(uint32_t index, const Demand& demand) const {
    const ComponentInterval& stay = intervals_.stays[index];
    const std::string device = deviceOfStay(index).spec.id();
    Bytes left = kUnbounded;
    for (NodeIndex node = stay.first; node <= stay.last; ++node) {
        left = stay.isHeldAt(node) ? std::min(left, leftAt(node, device, demand)) : left;
    }
    return left;
}

const PlannedUse& Sizer::useOf(uint32_t stay) const {
    return *std::find_if(intervals_.uses.begin(),
                         intervals_.uses.end(),
                         [&](const PlannedUse& each) { return each.stay == stay; });
}

const ComponentWork* Sizer::workOfUse(const PlannedUse& use) const {
    return workOf(request_.nodes[use.node], *intervals_.components[use.component].tree);
}

const PlanDevice& Sizer::deviceOfStay(uint32_t stay) const {
    return deviceOf(request_, intervals_.components[intervals_.stays[stay].component].device);
}

/// Empty where any leaf may be: of what is kept for later runs, and where passes are not known.
std::vector<bool> Sizer::leasedLeaves(uint32_t index) const {
    const ComponentInterval& stay = intervals_.stays[index];
    if (stay.isKept || stay.isThere) {
        return {};
    }
    std::vector<bool> leased(intervals_.components[stay.component].tree->leaves.size(), false);
    const auto note = [&](const AccessPattern& pass) {
        for (const LeafUse& use : pass) {
            leased[use.leaf] = true;
        }
    };
    for (const PlannedUse& use : intervals_.uses) {
        if (use.stay != index) {
            continue;
        }
        const ComponentWork* work = workOfUse(use);
        if (!work || work->pass.empty()) {
            return {};
        }
        note(work->pass);
        for (const auto& [number, pass] : work->others) {
            note(pass);
        }
    }
    return leased;
}

namespace {

/// Gains per byte that are that close count as equal: copies do not shrink quite evenly.
constexpr double kEqualGains = 0.8;

Seconds savedByAByte(const RoomClaim& claim) {
    return claim.most > claim.least
               ? (claim.copies - claim.leastCopies) / static_cast<double>(claim.most - claim.least)
               : 0;
}

/// Bytes beyond its least with which compute hides its copies.
Bytes untilHidden(const RoomClaim& claim) {
    const Seconds saved = savedByAByte(claim);
    if (saved <= 0 || claim.copies <= claim.hidden) {
        return 0;
    }
    return std::min(claim.most - claim.least,
                    static_cast<Bytes>((claim.copies - claim.hidden) / saved));
}

/// Gives `wanted` where there is room for all of it, else in proportion.
Bytes giveTo(std::vector<Bytes>& shares,
             const std::vector<size_t>& takers,
             const std::vector<Bytes>& wanted,
             Bytes room) {
    Bytes sum = 0;
    for (const size_t taker : takers) {
        sum += wanted[taker];
    }
    const double part = sum > room ? static_cast<double>(room) / static_cast<double>(sum) : 1;
    Bytes given = 0;
    for (const size_t taker : takers) {
        const auto bytes = static_cast<Bytes>(part * static_cast<double>(wanted[taker]));
        shares[taker] += bytes;
        given += bytes;
    }
    return given;
}

}  // namespace

std::vector<Bytes> shareRoom(const std::vector<RoomClaim>& claims, Bytes room) {
    std::vector<Bytes> shares;
    std::vector<Bytes> wanted;
    std::vector<double> gains;
    for (const RoomClaim& claim : claims) {
        shares.push_back(claim.least);
        wanted.push_back(untilHidden(claim));
        gains.push_back(savedByAByte(claim) * static_cast<double>(claim.passes));
        room -= claim.least;
    }
    std::vector<size_t> order(claims.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t left, size_t right) {
        return gains[left] > gains[right];
    });
    for (size_t first = 0; first < order.size();) {
        std::vector<size_t> equals;
        while (first + equals.size() < order.size() &&
               gains[order[first + equals.size()]] >= kEqualGains * gains[order[first]]) {
            equals.push_back(order[first + equals.size()]);
        }
        room -= giveTo(shares, equals, wanted, std::max<Bytes>(room, 0));
        first += equals.size();
    }
    for (size_t i = 0; i < claims.size(); ++i) {
        wanted[i] = claims[i].most - shares[i];
    }
    giveTo(shares, order, wanted, std::max<Bytes>(room, 0));
    return shares;
}

std::vector<std::vector<Bytes>> dividedRooms(const std::vector<RoomClaim>& claims, Bytes room) {
    std::vector<std::vector<Bytes>> divisions = {shareRoom(claims, room)};
    Bytes least = 0;
    for (const RoomClaim& claim : claims) {
        least += claim.least;
    }
    for (size_t i = 0; i < claims.size(); ++i) {
        const Bytes most = std::min(claims[i].most, room - (least - claims[i].least));
        std::vector<RoomClaim> changed = claims;
        changed[i].least = most;
        changed[i].most = most;
        std::vector<Bytes> division = shareRoom(changed, room);
        if (std::find(divisions.begin(), divisions.end(), division) == divisions.end()) {
            divisions.push_back(std::move(division));
        }
    }
    return divisions;
}

}  // namespace lowtide::memory
