#include "plugin/memory/plan_layouts.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/plan_demand.hpp"
#include "plugin/memory/plan_refusal.hpp"
#include "plugin/memory/stream_clock.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace lowtide::memory {

namespace {

/// The first pass is computed, and taking the second down costs about as much as computing it.
constexpr int64_t kLeastReplayed = 4;
constexpr Bytes kUnbounded = std::numeric_limits<Bytes>::max() / 4;

}  // namespace

Sizer::Sizer(const PlanRequest& request, StaySketch sketch)
    : request_(request),
      planners_(std::move(sketch.planners)),
      together_(std::move(sketch.together)),
      plan_(std::move(sketch.plan)) {
    for (PlannedStay& stay : plan_.stays) {
        stay.passes = passesOf(stay);
    }
    makePlaces();
}

void Sizer::makeSmallest() {
    for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
        lay(stay, 0);
    }
    measurePlan(plan_, request_);
    for (const DevicePlan& device : plan_.devices) {
        minimums_[device.device.id()] = device.room;
    }
}

void Sizer::makeLargest() {
    for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
        lay(stay, kUnbounded);
    }
    measurePlan(plan_, request_);
}

void Sizer::grow() {
    for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
        for (const std::vector<uint32_t>& stays : together_) {
            if (stays.front() == stay) {
                growTogether(stays);
            }
        }
        lay(stay, roomFor(plan_.stays[stay]));
        measurePlan(plan_, request_);
    }
}

void Sizer::growTogether(const std::vector<uint32_t>& stays) {
    Bytes left = kUnbounded;
    Bytes taken = 0;
    std::vector<RoomClaim> claims;
    for (const uint32_t index : stays) {
        const PlannedStay& stay = plan_.stays[index];
        left = std::min(left, leftOn(deviceOfStay(stay).spec, stay));
        taken += plan_.places[stay.place].bytes;
        claims.push_back(claimOf(index));
    }
    const std::vector<std::vector<Bytes>> divisions = dividedRooms(claims, left + taken);
    std::vector<ChoiceCost> costs;
    std::vector<Layouts> layouts;
    for (const std::vector<Bytes>& shares : divisions) {
        layTogether(stays, shares);
        costs.push_back(costOf(stays));
        layouts.emplace_back();
        for (const uint32_t stay : stays) {
            layouts.back().push_back(plan_.stays[stay].layout);
        }
    }
    const Layouts& best = layouts[bestChoice(costs)];
    for (size_t i = 0; i < stays.size(); ++i) {
        plan_.stays[stays[i]].layout = best[i];
    }
    measurePlan(plan_, request_);
}

void Sizer::layTogether(const std::vector<uint32_t>& stays, const std::vector<Bytes>& shares) {
    for (size_t i = 0; i < stays.size(); ++i) {
        lay(stays[i], shares[i]);
    }
    measurePlan(plan_, request_);
}

ChoiceCost Sizer::costOf(const std::vector<uint32_t>& stays) {
    for (const uint32_t stay : stays) {
        plan_.stays[stay].pinned = pinRoom(plan_.stays[stay]);
        predictStay(plan_, request_, stay);
        plan_.stays[stay].pinned = 0;
    }
    const StagePlan& stage = plan_.stages[plan_.stays[stays.front()].first];
    return {.seconds = stage.seconds, .moved = static_cast<double>(stage.moved)};
}

RoomClaim Sizer::claimOf(uint32_t index) {
    PlannedStay& stay = plan_.stays[index];
    const std::shared_ptr<const Layout> smallest = stay.layout;
    const PassTimes tight = timesOf(stay);
    lay(index, kUnbounded);
    const RoomClaim claim{.least = smallest->bytes(),
                          .most = std::max(smallest->bytes(), stay.layout->bytes()),
                          .copies = tight.copies,
                          .leastCopies = timesOf(stay).copies,
                          .hidden = smallest->prefetches ? tight.compute : 0,
                          .passes = stay.passes};
    stay.layout = smallest;
    return claim;
}

Sizer::PassTimes Sizer::timesOf(const PlannedStay& stay) const {
    const ComponentWork* work = workOfUse(useOf(stay));
    if (!work) {
        return {};
    }
    const Layout& layout = *stay.layout;
    const DeviceProfile& profile = deviceOfStay(stay).profile;
    const std::vector<bool> isPinned = layout.pinnedWithin(pinRoom(stay));
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

void Sizer::pin() {
    for (PlannedStay& stay : plan_.stays) {
        if (const Bytes wanted = pinnableAtMost(stay); wanted > 0) {
            stay.pinned = std::min(pinRoom(stay), wanted);
            measurePlan(plan_, request_);
        }
        unpinOthersFor(stay);
    }
}

/// Where the stay would pin more without what is pinned for components that the run does not use,
/// that goes.
void Sizer::unpinOthersFor(const PlannedStay& stay) {
    if (stay.pinned >= pinnableAtMost(stay) || !plan_.unpinned.empty()) {
        return;
    }
    for (const PinnedComponent& pinned : request_.pinned) {
        if (!usesOn(request_, pinned.tree, pinned.device)) {
            plan_.unpinned.push_back(pinned);
        }
    }
}

void Sizer::chooseReplays() {
    for (PlannedStay& stay : plan_.stays) {
        const auto& groups = stay.layout->groups;
        const bool isStill = std::all_of(
            groups.begin(), groups.end(), [](const Group& each) { return each.isResident; });
        if (isStill && !stay.takesTurns && deviceOfStay(stay).traits.replays &&
            mostPassesOf(stay) >= kLeastReplayed) {
            stay.replays = true;
            measurePlan(plan_, request_);
            stay.replays = leftOn(deviceOfStay(stay).spec, stay) >= 0;
            if (!stay.replays) {
                measurePlan(plan_, request_);
            }
        }
    }
}

void Sizer::predictTimes() {
    for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
        predictStay(plan_, request_, stay);
    }
}

Plan Sizer::take() {
    for (DevicePlan& device : plan_.devices) {
        device.minimum =
            minimums_[device.device.id()] - deviceOf(request_, device.device).droppable;
    }
    return std::move(plan_);
}

int64_t Sizer::mostPassesOf(const PlannedStay& stay) const {
    int64_t most = 0;
    for (const PlannedUse& use : plan_.uses) {
        const ComponentWork* work = isOf(stay, use) ? workOfUse(use) : nullptr;
        most = std::max(most, work ? work->passes : 0);
    }
    return most;
}

Bytes Sizer::pinnableAtMost(const PlannedStay& stay) const {
    if (stay.layout->isInPlace || stay.passes == 1) {
        return 0;
    }
    Bytes streamed = 0;
    for (const Group& group : stay.layout->groups) {
        streamed += group.isResident ? 0 : group.bytes;
    }
    const std::optional<Bytes> cap = useOf(stay).policy.pinCap;
    return std::min(streamed, cap.value_or(deviceOfStay(stay).traits.pinnable));
}

/// A cap of a person's counts for its stay alone, a device's for all that is pinned for it.
Bytes Sizer::pinRoom(const PlannedStay& stay) const {
    if (stay.passes == 1) {
        return 0;
    }
    const Bytes host = std::max<Bytes>(0, hostLeftFrom(stay.first) + pinnedOf(stay.component));
    if (const std::optional<Bytes> cap = useOf(stay).policy.pinCap) {
        return std::min(*cap, host);
    }
    const std::string device = deviceOfStay(stay).spec.id();
    Bytes left = deviceOfStay(stay).traits.pinnable;
    for (uint32_t component = 0; component < plan_.components.size(); ++component) {
        const bool isOther =
            component != stay.component && plan_.components[component].device.id() == device;
        left -= isOther ? pinnedOf(component) : 0;
    }
    for (const PinnedComponent& pinned : request_.pinned) {
        const bool isForeign = pinned.device == device && !usesOn(request_, pinned.tree, device);
        left -= isForeign ? pinned.bytes : 0;
    }
    return std::clamp<Bytes>(left, 0, host);
}

Bytes Sizer::pinnedOf(uint32_t component) const {
    Bytes pinned = 0;
    for (const PlannedStay& stay : plan_.stays) {
        pinned = std::max(pinned, stay.component == component ? stay.pinned : 0);
    }
    return pinned;
}

Bytes Sizer::leftOn(const DeviceSpec& spec, const PlannedStay& stay) const {
    Bytes left = kUnbounded;
    for (NodeIndex node = stay.first; node <= stay.last; ++node) {
        left = stay.isHeldAt(node) ? std::min(left, leftAt(node, spec)) : left;
    }
    return left;
}

Bytes Sizer::hostLeftFrom(NodeIndex first) const {
    Bytes left = kUnbounded;
    for (NodeIndex node = first; node < plan_.stages.size(); ++node) {
        left = std::min(left, leftAt(node, {.kind = "cpu"}));
    }
    return left;
}

Bytes Sizer::leftAt(NodeIndex node, const DeviceSpec& spec) const {
    const DevicePlan* device = plan_.device(spec);
    Bytes left = kUnbounded;
    for (const StageBytes& bytes : plan_.stages[node].bytes) {
        const bool isBounded = device && device->capacity > 0 && bytes.device == spec.id();
        left = isBounded ? device->capacity - bytes.room() : left;
    }
    return left;
}

const PlannedUse& Sizer::useOf(const PlannedStay& stay) const {
    return *std::find_if(plan_.uses.begin(), plan_.uses.end(), [&](const PlannedUse& each) {
        return isOf(stay, each);
    });
}

bool Sizer::isOf(const PlannedStay& stay, const PlannedUse& use) const {
    return &plan_.stays[use.stay] == &stay;
}

const ComponentWork* Sizer::workOfUse(const PlannedUse& use) const {
    return workOf(request_.nodes[use.node], *plan_.components[use.component].tree);
}

int64_t Sizer::passesOf(const PlannedStay& stay) const {
    int64_t passes = 0;
    for (const PlannedUse& use : plan_.uses) {
        if (isOf(stay, use)) {
            const ComponentWork* work = workOfUse(use);
            if (!work) {
                return 0;
            }
            passes += work->passes;
        }
    }
    return passes;
}

const PlanDevice& Sizer::deviceOfStay(const PlannedStay& stay) const {
    return deviceOf(request_, plan_.components[stay.component].device);
}

void Sizer::makePlaces() {
    for (PlannedStay& stay : plan_.stays) {
        const DeviceSpec& device = plan_.components[stay.component].device;
        const auto shared =
            std::find_if(plan_.stays.begin(), plan_.stays.end(), [&](const PlannedStay& other) {
                return &other < &stay && stay.takesTurns && other.takesTurns &&
                       other.first == stay.first &&
                       plan_.components[other.component].device.id() == device.id();
            });
        if (shared != plan_.stays.end()) {
            stay.place = shared->place;
            continue;
        }
        stay.place = static_cast<uint32_t>(plan_.places.size());
        plan_.places.push_back(
            {.device = device, .first = stay.first, .last = stay.last, .absences = stay.absences});
    }
}

void Sizer::lay(uint32_t index, Bytes room) {
    PlannedStay& stay = plan_.stays[index];
    const PlanDevice& device = deviceOfStay(stay);
    const PlannedUse& use = useOf(stay);
    const ComponentTree& tree = *plan_.components[stay.component].tree;
    const Bytes limit = stay.isThere ? kUnbounded : room;  // what is there is whole
    const std::vector<bool> leased = leasedLeaves(stay);
    stay.layout = std::make_shared<const Layout>(
        planners_[index]->lay({.tree = tree,
                               .traits = device.traits,
                               .profile = device.profile,
                               .policy = use.policy,
                               .work = workOf(request_.nodes[use.node], tree),
                               .room = limit,
                               .pinnable = pinRoom(stay),
                               .leased = leased.empty() ? nullptr : &leased}));
}

/// Empty where any leaf may be: of what is kept for later runs, and where passes are not known.
std::vector<bool> Sizer::leasedLeaves(const PlannedStay& stay) const {
    if (stay.isKept || stay.isThere) {
        return {};
    }
    std::vector<bool> leased(plan_.components[stay.component].tree->leaves.size(), false);
    const auto note = [&](const AccessPattern& pass) {
        for (const LeafUse& use : pass) {
            leased[use.leaf] = true;
        }
    };
    for (const PlannedUse& use : plan_.uses) {
        if (!isOf(stay, use)) {
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

Bytes Sizer::roomFor(const PlannedStay& stay) const {
    return leftOn(deviceOfStay(stay).spec, stay) + plan_.places[stay.place].bytes;
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
        for (const Bytes fixed : {most}) {
            std::vector<RoomClaim> changed = claims;
            changed[i].least = fixed;
            changed[i].most = fixed;
            std::vector<Bytes> division = shareRoom(changed, room);
            if (std::find(divisions.begin(), divisions.end(), division) == divisions.end()) {
                divisions.push_back(std::move(division));
            }
        }
    }
    return divisions;
}

}  // namespace lowtide::memory
