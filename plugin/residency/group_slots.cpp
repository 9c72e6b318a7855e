#include "plugin/residency/group_slots.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/changed_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/mutant.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace lowtide::residency {

using memory::GroupId;
using memory::LeafId;
using memory::StorageId;
using memory::WeightId;

namespace {

/// Fills pinned bytes at their first copy; false where they are no longer wanted.
std::function<bool()> pinned(std::shared_ptr<PinnedMaster> pin,
                             std::shared_ptr<Arrival> arrival,
                             std::function<bool()> fill,
                             std::function<void()> noteRead) {
    return [pin = std::move(pin),
            arrival = std::move(arrival),
            fill = std::move(fill),
            noteRead = std::move(noteRead)] {
        if (!pin->isFilled) {
            pin->isFilled = fill();
            noteRead();
            return pin->isFilled.load();
        }
        if (arrival->isAbandoned) {
            arrival->isPartial = true;
        }
        return !arrival->isPartial;
    };
}

}  // namespace

GroupSlots::GroupSlots(GroupPlace place)
    : place_(std::move(place)),
      held_(place_),
      changed_(place_, held_),
      groups_(place_.layout->groups.size()) {
    planCopies();
    pins_ = place_.books.pins.take(
        place_.tree, place_.device.id, place_.pinned, streamingMasters(), place_.books.ledger);
}

void GroupSlots::bring(GroupId group,
                       std::byte* address,
                       const StopToken& stop,
                       const std::string& node) {
    GroupState& state = groups_[group];
    LOWTIDE_ASSERT(!state.arrival && (address || place_.layout->isInPlace));
    auto arrival = std::make_shared<Arrival>();
    count(group, +1);
    state = {.arrival = std::move(arrival), .address = address};
    const memory::Group& planned = place_.layout->groups[group];
    try {
        place_.books.ledger.event(
            "copy", place_.device.id, node, place_.tree->role + "." + planned.name, planned.bytes);
        for (size_t i = 0; i < planned.storages.size(); ++i) {
            held_.put(planned.storages[i], address ? address + planned.offsets[i] : nullptr);
            changed_.noteComing(planned.storages[i]);
        }
        for (const PlannedCopy& each : copies_[group]) {
            copy(group, each, stop);
        }
    } catch (...) {
        state.arrival->isPartial = true;  // copies of the first storages may be under way
        place_.device.hasFailed = true;
        throw;
    }
    if (address) {
        state.ready = place_.device.device->markCopy();
    }
}

void GroupSlots::planCopies() {
    copies_.resize(groups_.size());
    PinnedMasters::MasterId next = 0;
    for (GroupId group = 0; !place_.layout->isInPlace && group < groups_.size(); ++group) {
        for (CopySpan& span : copySpans(place_.layout->groups[group], [this](StorageId storage) {
                 return crossingOf(storage);
             })) {
            copies_[group].push_back({.span = std::move(span), .master = next++});
        }
    }
}

/// File bytes where the device makes the type of them, else what will lie there; none of what comes
/// at its leaf's first lease.
StorageCrossing GroupSlots::crossingOf(StorageId storage) const {
    const memory::Storage& master = place_.tree->storages[storage];
    if (changed_.comesWhenChanged(storage)) {
        return {};
    }
    const TypeChange change{.from = master.fileType, .to = held_.arrivalTypeOf(storage)};
    const bool isWidened = master.scaleCount == 0 && !master.encoded && change.from != change.to &&
                           place_.device.device->extras().widens(change);
    return isWidened ? StorageCrossing{.bytes = master.fileBytes(), .widened = change}
                     : StorageCrossing{.bytes = memory::arrivalBytes(*place_.tree, storage)};
}

std::vector<PinnedMasters::Master> GroupSlots::streamingMasters() const {
    std::vector<PinnedMasters::Master> masters;
    for (const GroupId group : place_.layout->streamingOrder()) {
        for (const PlannedCopy& each : copies_[group]) {
            masters.push_back({.id = each.master, .span = each.span});
        }
    }
    return masters;
}

/// The bytes of a copy as its files have them, or as what will lie on the device.
ByteSource GroupSlots::sourceOf(const CopySpan& span,
                                const std::shared_ptr<Arrival>& arrival,
                                const StopToken& stop) {
    std::vector<ByteSource> sources;
    for (const CopySpan::Part& part : span.parts) {
        const memory::Storage& master = place_.tree->storages[part.storage];
        const DType type = span.widened ? span.widened->from : held_.arrivalTypeOf(part.storage);
        const std::span<std::byte> scratch = master.liesAs(type)
                                                 ? std::span<std::byte>()
                                                 : place_.device.scratchFor(place_.books.ledger);
        sources.push_back(
            place_.books.masters.source(*place_.tree, part.storage, type, scratch, arrival, stop));
    }
    return joinedSource(span, std::move(sources));
}

/// From files or, where it streams and there is room, from pinned memory that is read into once.
void GroupSlots::copy(GroupId group, const PlannedCopy& planned, const StopToken& stop) {
    place_.device.lendStaging(place_.books.ledger);
    const GroupState& state = groups_[group];
    const CopySpan& span = planned.span;
    Device& device = *place_.device.device;
    Bytes read = 0;
    Bytes arriving = 0;
    for (const CopySpan::Part& part : span.parts) {
        read += place_.tree->storages[part.storage].readBytes();
        arriving += memory::arrivalBytes(*place_.tree, part.storage);
    }
    const Crossing crossing{
        .target = state.address + span.target, .bytes = span.bytes, .widened = span.widened};
    const std::string label = place_.tree->role + "." + place_.layout->groups[group].name;
    const std::shared_ptr<PinnedMaster> pin = pins_->placeFor(planned.master, device, stop);
    ByteSource source = pin && pin->isFilled ? ByteSource() : sourceOf(span, state.arrival, stop);
    place_.books.traffic.addCopy(arriving, pin ? 0 : read);
    if (pin) {
        const auto fill = [pin, bytes = span.bytes, source = std::move(source)] {
            return source(pin->data, 0, bytes);
        };
        const auto noteRead = [&traffic = place_.books.traffic, read] { traffic.addRead(read); };
        device.copyInStaged(crossing, pin->data, pinned(pin, state.arrival, fill, noteRead), label);
    } else if (span.widened) {
        device.extras().copyInWidened(crossing, std::move(source), label);
    } else {
        device.copyIn(crossing.target, crossing.bytes, std::move(source), label);
    }
}

void GroupSlots::evict(GroupId group, const std::string& node) {
    GroupState& state = groups_[group];
    LOWTIDE_ASSERT(state.arrival != nullptr);
    const memory::Group& planned = place_.layout->groups[group];
    state.arrival->isAbandoned = true;
    if (state.lastUse && !isMutant(Mutant::CopyDoesNotWait)) {
        place_.device.unlessLost([&] { place_.device.device->copyWaits(state.lastUse); });
    }
    if (state.address) {
        place_.device.unlessLost([&] {
            place_.device.device->extras().discard(
                state.address, planned.bytes, place_.tree->role + "." + planned.name);
        });
    }
    for (const StorageId storage : planned.storages) {
        held_.remove(storage);
        changed_.noteGone(storage);
    }
    count(group, -1);
    state = {};
    place_.books.ledger.event(
        "evict", place_.device.id, node, place_.tree->role + "." + planned.name, planned.bytes);
}

void GroupSlots::abandon(GroupId group) {
    if (groups_[group].arrival) {
        groups_[group].arrival->isAbandoned = true;
    }
}

void GroupSlots::waitFor(GroupId group) {
    GroupState& state = groups_[group];
    if (state.ready && !isMutant(Mutant::ComputeDoesNotWait)) {
        try {
            place_.device.device->computeWaits(state.ready);
        } catch (...) {
            place_.device.hasFailed = true;
            throw;
        }
        state.ready.reset();
    }
    if (state.arrival && state.arrival->isPartial) {
        throw Error(ErrorKind::Internal,
                    message("{}.{} was asked for again after it failed to arrive or to be changed",
                            place_.tree->role,
                            place_.layout->groups[group].name));
    }
}

/// Where it fails all of the leaf comes again before it is used again.
void GroupSlots::applyChanges(LeafId leaf, const StopToken& stop) {
    if (changed_.areAllDone()) {
        return;
    }
    const std::vector<GroupId>& groups = place_.layout->leafGroups[leaf];
    try {
        for (const WeightId id : place_.tree->leaves[leaf].ownWeights()) {
            const StorageId storage = place_.tree->weights[id].storage;
            if (changed_.isPending(storage)) {
                changed_.change(storage, stop);
            }
        }
    } catch (...) {
        for (const GroupId group : groups) {
            groups_[group].arrival->isPartial = true;
            noteUse(group);  // compute may still be at it when the group is evicted
        }
        place_.device.hasFailed = true;
        throw;
    }
    for (const GroupId group : groups) {
        noteUse(group);
    }
}

bool GroupSlots::isComplete(GroupId group) const {
    const GroupState& state = groups_[group];
    if (!state.arrival || state.arrival->isPartial) {
        return false;
    }
    try {
        if (state.ready) {
            place_.device.device->hostWaits(state.ready);
        }
    } catch (...) {
        return false;  // the failure itself was told to whoever used the component
    }
    return !state.arrival->isPartial;
}

bool GroupSlots::isSettled() const {
    const auto& expected = place_.layout->order;
    const bool isWhole = std::all_of(
        expected.begin(), expected.end(), [&](GroupId group) { return isThere(group); });
    return isWhole && changed_.areAllDone() &&
           std::all_of(groups_.begin(), groups_.end(), [](const GroupState& state) {
               return !state.arrival || !state.ready;
           });
}

void GroupSlots::noteUse(GroupId group) noexcept {
    place_.device.unlessLost([&] { groups_[group].lastUse = place_.device.device->markCompute(); });
}

void GroupSlots::noteUses() {
    const EventRef use = place_.device.device->markCompute();
    for (GroupState& state : groups_) {
        if (state.arrival) {
            state.lastUse = use;
        }
    }
}

void GroupSlots::settle() {
    for (GroupState& state : groups_) {
        state.ready.reset();
    }
}

std::vector<at::Tensor> GroupSlots::tensors(const memory::ComponentTree& tree, LeafId leaf) const {
    std::vector<at::Tensor> tensors;
    tensors.reserve(tree.leaves[leaf].ownWeights().size());
    for (const WeightId id : tree.leaves[leaf].ownWeights()) {
        if (place_.layout->isInPlace) {
            place_.books.masters.requireWhole(*place_.tree, tree.weights[id].storage);
        }
        tensors.push_back(changed_.tensorOf(tree.weights[id]));
    }
    return tensors;
}

/// An arena is in the ledger already, as Workspace; mapped pages are not.
void GroupSlots::count(GroupId group, int direction) const {
    const Bytes bytes = direction * place_.layout->groups[group].bytes;
    if (place_.layout->isInPlace) {
        place_.books.ledger.add(place_.device.id, memory::Tag::Weights, place_.tree->role, bytes);
    } else {
        countSlots(place_.books.ledger, place_.device.id, place_.tree->role, bytes);
    }
}

}  // namespace lowtide::residency
