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

/// The first forward is computed, and taking the second down costs about as much as computing it.
constexpr int64_t kLeastReplayed = 4;
constexpr Bytes kUnbounded = std::numeric_limits<Bytes>::max() / 4;

Bytes leftAt(NodeIndex node, const std::string& device, const Demand& demand) {
    Bytes left = kUnbounded;
    for (size_t i = 0; i < demand.devices.size(); ++i) {
        const StageBytes& bytes = demand.stages[node].bytes[i];
        const Bytes capacity = demand.devices[i].capacity;
        left = capacity > 0 && bytes.device == device ? capacity - bytes.space() : left;
    }
    return left;
}

/// What the nodes from `first` on leave of the host: pinned memory is kept to the end.
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
    for (uint32_t residency = 0; residency < intervals_.residencies.size(); ++residency) {
        for (const std::vector<uint32_t>& residencies : intervals_.together) {
            if (residencies.front() == residency) {
                sizes = grownTogether(sizes, residencies);
            }
        }
        const Bytes taken = sizes.demand.slots[intervals_.residencies[residency].slot].bytes;
        sizes = laidAgain(sizes, {residency}, {leftFor(residency, sizes.demand) + taken});
    }
    return sizes;
}

Sizes Sizer::withReplays(Sizes sizes) const {
    for (uint32_t residency = 0; residency < intervals_.residencies.size(); ++residency) {
        const auto& groups = sizes.layouts[residency].layout->groups;
        const bool isStill = std::all_of(
            groups.begin(), groups.end(), [](const Group& each) { return each.isResident; });
        if (isStill && !intervals_.residencies[residency].alternates &&
            deviceOfResidency(residency).traits.replays &&
            mostForwardsOf(residency) >= kLeastReplayed) {
            std::vector<ChosenLayout> layouts = sizes.layouts;
            layouts[residency].replays = true;
            Sizes replayed = measured(std::move(layouts));
            if (leftFor(residency, replayed.demand) >= 0) {
                sizes = std::move(replayed);
            }
        }
    }
    return sizes;
}

Sizes Sizer::withPins(Sizes sizes) const {
    for (uint32_t residency = 0; residency < intervals_.residencies.size(); ++residency) {
        const Bytes wanted = pinnableAtMost(residency, *sizes.layouts[residency].layout);
        if (wanted > 0) {
            sizes.layouts[residency].pinned = std::min(pinSpace(residency, sizes), wanted);
            sizes = measured(std::move(sizes.layouts));
        }
    }
    return sizes;
}

Plan Sizer::planOf(Sizes sizes, const Demand& smallest) const {
    Plan plan;
    plan.components = intervals_.components;
    plan.slots = std::move(sizes.demand.slots);
    plan.uses = intervals_.uses;
    plan.stages = std::move(sizes.demand.stages);
    plan.devices = std::move(sizes.demand.devices);
    plan.unpinned = unpinnedFor(sizes);
    for (uint32_t residency = 0; residency < intervals_.residencies.size(); ++residency) {
        plan.residencies.push_back({intervals_.residencies[residency], sizes.layouts[residency]});
        plan.stages =
            withTimesOf(residency, std::move(plan.stages), request_, intervals_, sizes.layouts);
    }
    for (size_t i = 0; i < plan.devices.size(); ++i) {
        plan.devices[i].minimum = smallest.devices[i].space - request_.devices[i].droppable;
    }
    return plan;
}

Sizes Sizer::measured(std::vector<ChosenLayout> layouts) const {
    Demand demand = demandOf(request_, intervals_, layouts);
    return {.layouts = std::move(layouts), .demand = std::move(demand)};
}

Sizes Sizer::laidOut(Bytes space) const {
    std::vector<uint32_t> all(intervals_.residencies.size());
    std::iota(all.begin(), all.end(), uint32_t{0});
    const Sizes nothing{.layouts = std::vector<ChosenLayout>(all.size()), .demand = {}};
    return laidAgain(nothing, all, std::vector<Bytes>(all.size(), space));
}

Sizes Sizer::laidAgain(const Sizes& sizes,
                       const std::vector<uint32_t>& residencies,
                       const std::vector<Bytes>& spaces) const {
    std::vector<ChosenLayout> layouts = sizes.layouts;
    for (size_t i = 0; i < residencies.size(); ++i) {
        layouts[residencies[i]].layout = layoutIn(spaces[i], residencies[i], sizes);
    }
    return measured(std::move(layouts));
}

/// Each division is tried with what the host has left after the one before.
Sizes Sizer::grownTogether(const Sizes& sizes, const std::vector<uint32_t>& residencies) const {
    Bytes left = kUnbounded;
    Bytes taken = 0;
    std::vector<SpaceClaim> claims;
    for (const uint32_t residency : residencies) {
        left = std::min(left, leftFor(residency, sizes.demand));
        taken += sizes.demand.slots[intervals_.residencies[residency].slot].bytes;
        claims.push_back(claimOf(residency, sizes));
    }
    std::vector<Sizes> tried;
    std::vector<ChoiceCost> costs;
    for (const std::vector<Bytes>& spaces : spaceDivisions(claims, left + taken)) {
        tried.push_back(laidAgain(tried.empty() ? sizes : tried.back(), residencies, spaces));
        costs.push_back(costOf(residencies, tried.back()));
    }
    return std::move(tried[bestChoice(costs)]);
}

std::shared_ptr<const Layout> Sizer::layoutIn(Bytes space,
                                              uint32_t index,
                                              const Sizes& sizes) const {
    const ComponentInterval& residency = intervals_.residencies[index];
    const PlanDevice& device = deviceOfResidency(index);
    const PlannedUse& use = useOf(index);
    const std::vector<bool> leased = leasedLeaves(index);
    const LayoutRequest request{
        .tree = *intervals_.components[residency.component].tree,
        .traits = device.traits,
        .profile = device.profile,
        .policy = use.policy,
        .work = workOfUse(use),
        .space = residency.isThere ? kUnbounded : space,  // it is there whole
        .pinnable = pinSpace(index, sizes),
        .leased = leased.empty() ? nullptr : &leased};
    return std::make_shared<const Layout>(findPlanner(residency.planner)->lay(request));
}

ChoiceCost Sizer::costOf(const std::vector<uint32_t>& residencies, const Sizes& sizes) const {
    std::vector<StagePlan> stages = sizes.demand.stages;
    for (const uint32_t residency : residencies) {
        std::vector<ChosenLayout> layouts = sizes.layouts;
        layouts[residency].pinned = pinSpace(residency, sizes);
        stages = withTimesOf(residency, std::move(stages), request_, intervals_, layouts);
    }
    const StagePlan& stage = stages[intervals_.residencies[residencies.front()].first];
    return {.seconds = stage.seconds, .moved = static_cast<double>(stage.moved)};
}

SpaceClaim Sizer::claimOf(uint32_t residency, const Sizes& sizes) const {
    const Layout& smallest = *sizes.layouts[residency].layout;
    const auto largest = layoutIn(kUnbounded, residency, sizes);
    const ForwardTimes tight = timesOf(residency, smallest, sizes);
    return {.least = smallest.bytes(),
            .most = std::max(smallest.bytes(), largest->bytes()),
            .copies = tight.copies,
            .leastCopies = timesOf(residency, *largest, sizes).copies,
            .hidden = smallest.prefetches ? tight.compute : 0,
            .forwards = intervals_.residencies[residency].forwards};
}

Sizer::ForwardTimes Sizer::timesOf(uint32_t residency,
                                   const Layout& layout,
                                   const Sizes& sizes) const {
    const ComponentWork* work = workOfUse(useOf(residency));
    if (!work) {
        return {};
    }
    const DeviceProfile& profile = deviceOfResidency(residency).profile;
    const std::vector<bool> isPinned = layout.pinnedWithin(pinSpace(residency, sizes));
    ForwardTimes times;
    const ForwardUses uses(layout, *work, profile);
    for (int64_t forward = 0; forward < work->forwards; ++forward) {
        const uint32_t pattern = work->hint(forward).pattern;
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
    const auto forwards = static_cast<double>(std::max<int64_t>(1, work->forwards));
    return {.copies = times.copies / forwards, .compute = times.compute / forwards};
}

int64_t Sizer::mostForwardsOf(uint32_t residency) const {
    int64_t most = 0;
    for (const PlannedUse& use : intervals_.uses) {
        const ComponentWork* work = use.residency == residency ? workOfUse(use) : nullptr;
        most = std::max(most, work ? work->forwards : 0);
    }
    return most;
}

std::vector<PinnedComponent> Sizer::unpinnedFor(const Sizes& sizes) const {
    bool wantsMore = false;
    for (uint32_t residency = 0; residency < intervals_.residencies.size(); ++residency) {
        const ChosenLayout& own = sizes.layouts[residency];
        wantsMore = wantsMore || own.pinned < pinnableAtMost(residency, *own.layout);
    }
    std::vector<PinnedComponent> unpinned;
    for (const PinnedComponent& pinned : request_.pinned) {
        if (wantsMore && !usesOn(request_, pinned.tree, pinned.device)) {
            unpinned.push_back(pinned);
        }
    }
    return unpinned;
}

Bytes Sizer::pinnableAtMost(uint32_t residency, const Layout& layout) const {
    if (layout.isInPlace || intervals_.residencies[residency].forwards == 1) {
        return 0;
    }
    Bytes streamed = 0;
    for (const Group& group : layout.groups) {
        streamed += group.isResident ? 0 : group.bytes;
    }
    const std::optional<Bytes> cap = useOf(residency).policy.pinCap;
    return std::min(streamed, cap.value_or(deviceOfResidency(residency).traits.pinnable));
}

/// A user's cap counts for its residency alone, a device's for all that is pinned for it.
Bytes Sizer::pinSpace(uint32_t index, const Sizes& sizes) const {
    const ComponentInterval& residency = intervals_.residencies[index];
    if (residency.forwards == 1) {
        return 0;
    }
    const Bytes host = std::max<Bytes>(
        0, hostLeftFrom(residency.first, sizes.demand) + pinnedOf(residency.component, sizes));
    if (const std::optional<Bytes> cap = useOf(index).policy.pinCap) {
        return std::min(*cap, host);
    }
    const std::string device = deviceOfResidency(index).spec.id();
    Bytes left = deviceOfResidency(index).traits.pinnable;
    for (uint32_t component = 0; component < intervals_.components.size(); ++component) {
        const bool isOther = component != residency.component &&
                             intervals_.components[component].device.id() == device;
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
    for (uint32_t residency = 0; residency < intervals_.residencies.size(); ++residency) {
        const bool isOwn = intervals_.residencies[residency].component == component;
        pinned = std::max(pinned, isOwn ? sizes.layouts[residency].pinned : 0);
    }
    return pinned;
}

Bytes Sizer::leftFor(uint32_t index, const Demand& demand) const {
    const ComponentInterval& residency = intervals_.residencies[index];
    const std::string device = deviceOfResidency(index).spec.id();
    Bytes left = kUnbounded;
    for (NodeIndex node = residency.first; node <= residency.last; ++node) {
        left = residency.isHeldAt(node) ? std::min(left, leftAt(node, device, demand)) : left;
    }
    return left;
}

const PlannedUse& Sizer::useOf(uint32_t residency) const {
    return *std::find_if(intervals_.uses.begin(),
                         intervals_.uses.end(),
                         [&](const PlannedUse& each) { return each.residency == residency; });
}

const ComponentWork* Sizer::workOfUse(const PlannedUse& use) const {
    return workOf(request_.nodes[use.node], *intervals_.components[use.component].tree);
}

const PlanDevice& Sizer::deviceOfResidency(uint32_t residency) const {
    return deviceOf(request_,
                    intervals_.components[intervals_.residencies[residency].component].device);
}

/// Empty where any leaf may be: of what is kept for later runs, and where forwards are not known.
std::vector<bool> Sizer::leasedLeaves(uint32_t index) const {
    const ComponentInterval& residency = intervals_.residencies[index];
    if (residency.isKept || residency.isThere) {
        return {};
    }
    std::vector<bool> leased(intervals_.components[residency.component].tree->leaves.size(), false);
    const auto note = [&](const AccessPattern& forward) {
        for (const LeafUse& use : forward) {
            leased[use.leaf] = true;
        }
    };
    for (const PlannedUse& use : intervals_.uses) {
        if (use.residency != index) {
            continue;
        }
        const ComponentWork* work = workOfUse(use);
        if (!work || work->forward.empty()) {
            return {};
        }
        note(work->forward);
        for (const auto& [number, forward] : work->others) {
            note(forward);
        }
    }
    return leased;
}

namespace {

/// Gains per byte that are that close count as equal: copies do not shrink quite evenly.
constexpr double kEqualGains = 0.8;

Seconds savedByAByte(const SpaceClaim& claim) {
    return claim.most > claim.least
               ? (claim.copies - claim.leastCopies) / static_cast<double>(claim.most - claim.least)
               : 0;
}

/// Bytes beyond its least with which compute hides its copies.
Bytes untilHidden(const SpaceClaim& claim) {
    const Seconds saved = savedByAByte(claim);
    if (saved <= 0 || claim.copies <= claim.hidden) {
        return 0;
    }
    return std::min(claim.most - claim.least,
                    static_cast<Bytes>((claim.copies - claim.hidden) / saved));
}

/// Gives `wanted` where there is space for all of it, else in proportion.
Bytes giveTo(std::vector<Bytes>& spaces,
             const std::vector<size_t>& takers,
             const std::vector<Bytes>& wanted,
             Bytes space) {
    Bytes sum = 0;
    for (const size_t taker : takers) {
        sum += wanted[taker];
    }
    const double part = sum > space ? static_cast<double>(space) / static_cast<double>(sum) : 1;
    Bytes given = 0;
    for (const size_t taker : takers) {
        const auto bytes = static_cast<Bytes>(part * static_cast<double>(wanted[taker]));
        spaces[taker] += bytes;
        given += bytes;
    }
    return given;
}

}  // namespace

std::vector<Bytes> divideSpace(const std::vector<SpaceClaim>& claims, Bytes space) {
    std::vector<Bytes> spaces;
    std::vector<Bytes> wanted;
    std::vector<double> gains;
    for (const SpaceClaim& claim : claims) {
        spaces.push_back(claim.least);
        wanted.push_back(untilHidden(claim));
        gains.push_back(savedByAByte(claim) * static_cast<double>(claim.forwards));
        space -= claim.least;
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
        space -= giveTo(spaces, equals, wanted, std::max<Bytes>(space, 0));
        first += equals.size();
    }
    for (size_t i = 0; i < claims.size(); ++i) {
        wanted[i] = claims[i].most - spaces[i];
    }
    giveTo(spaces, order, wanted, std::max<Bytes>(space, 0));
    return spaces;
}

std::vector<std::vector<Bytes>> spaceDivisions(const std::vector<SpaceClaim>& claims, Bytes space) {
    std::vector<std::vector<Bytes>> divisions = {divideSpace(claims, space)};
    Bytes least = 0;
    for (const SpaceClaim& claim : claims) {
        least += claim.least;
    }
    for (size_t i = 0; i < claims.size(); ++i) {
        const Bytes most = std::min(claims[i].most, space - (least - claims[i].least));
        std::vector<SpaceClaim> changed = claims;
        changed[i].least = most;
        changed[i].most = most;
        std::vector<Bytes> division = divideSpace(changed, space);
        if (std::find(divisions.begin(), divisions.end(), division) == divisions.end()) {
            divisions.push_back(std::move(division));
        }
    }
    return divisions;
}

}  // namespace lowtide::memory
