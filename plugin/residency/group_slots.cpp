#include "plugin/residency/group_slots.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/changed_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/mutant.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <optional>
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
      groups_(place_.layout->groups.size()),
      addressOf_(place_.tree->storages.size(), nullptr),
      typeOf_(place_.tree->storages.size(), DType::F32) {
    requireUsable();
    for (const memory::Weight& weight : place_.tree->weights) {
        typeOf_[weight.storage] =
            place_.tree->storages[weight.storage].deviceType.value_or(weight.computeType);
    }
    collectChanges();
    planTravels();
    pins_ = place_.books.pins.take(
        place_.tree, place_.device.id, place_.pinned, streamingMasters(), place_.books.ledger);
}

void GroupSlots::collectChanges() {
    LOWTIDE_ASSERT(place_.tree->changes.empty() || !place_.layout->isInPlace);
    for (const memory::WeightChange& change : place_.tree->changes) {
        changes_[place_.tree->weights[change.weight].storage].changes.push_back(&change);
    }
    for (const memory::Group& group : place_.layout->groups) {
        for (const StorageId storage : group.storages) {
            const auto changed = group.isResident ? changes_.find(storage) : changes_.end();
            if (changed != changes_.end()) {
                changed->second.comesAtLease =
                    memory::arrivalBytes(*place_.tree, storage) > place_.tree->deviceBytes(storage);
            }
        }
    }
}

void GroupSlots::requireUsable() const {
    for (const memory::Weight& weight : place_.tree->weights) {
        const memory::Storage& storage = place_.tree->storages[weight.storage];
        const DType fileType = storage.fileType;
        const DType held = storage.deviceType.value_or(weight.computeType);
        const DType type = storage.scaleCount > 0 ? DType::F32 : storage.arrivalType.value_or(held);
        if (!canConvert(fileType, type)) {
            throw Error(ErrorKind::Unsupported,
                        place_.tree->role + ": the weight " + weight.name + " is " +
                            std::string(nameOf(fileType)) + " in its file and cannot be used as " +
                            std::string(nameOf(type)),
                        "use a checkpoint whose weights are F32, F16, BF16 or F8");
        }
    }
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
        noteComing(group);
        if (!address) {
            readInPlace(group);
        }
        for (const Travel& travel : travels_[group]) {
            copy(group, travel, stop);
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

/// Where its storages will lie, and that they come without their changes.
void GroupSlots::noteComing(GroupId group) {
    const memory::Group& planned = place_.layout->groups[group];
    std::byte* address = groups_[group].address;
    for (size_t i = 0; i < planned.storages.size(); ++i) {
        const StorageId storage = planned.storages[i];
        if (!addressOf_[storage] || !isMutant(Mutant::BoundLate)) {
            addressOf_[storage] = address ? address + planned.offsets[i] : mappedAddress(storage);
        }
        const auto changed = changes_.find(storage);
        if (changed != changes_.end() && !changesAtLease(place_.tree->storages[storage])) {
            changed->second.isPending = true;
            ++pendingChanges_;
            if (changed->second.comesAtLease) {  // planned, and counted, with its group
                place_.books.traffic.addCopy(memory::arrivalBytes(*place_.tree, storage),
                                             place_.tree->storages[storage].readBytes());
            }
        }
    }
}

void GroupSlots::readInPlace(GroupId group) {
    for (const StorageId storage : place_.layout->groups[group].storages) {
        place_.books.masters.willNeed(*place_.tree, storage);
        if (!place_.tree->storages[storage].staysEncoded) {
            place_.books.masters.requireMappedFinite(*place_.tree, storage, addressOf_[storage]);
        } else {
            place_.books.masters.requireMappedSound(*place_.tree, storage);
        }
        place_.books.traffic.addRead(place_.tree->deviceBytes(storage));
    }
}

/// The plan counts on the map of a local file; the system may have no room for it.
std::byte* GroupSlots::mappedAddress(StorageId storage) const {
    const std::byte* mapped = place_.books.masters.mapped(*place_.tree, storage);
    if (!mapped) {
        throw Error(ErrorKind::OutOfMemory,
                    place_.tree->role + ": the system has no room to map the file of " +
                        place_.tree->storages[storage].key,
                    "end other programs, or choose the policy leaf for this node");
    }
    // ATen has no tensor over constant memory; the map is read-only, so a write ends the program
    // at once.
    return const_cast<std::byte*>(mapped);
}

void GroupSlots::planTravels() {
    travels_.resize(groups_.size());
    PinnedMasters::MasterId next = 0;
    for (GroupId group = 0; !place_.layout->isInPlace && group < groups_.size(); ++group) {
        for (CopySpan& span : copySpans(place_.layout->groups[group], [this](StorageId storage) {
                 return crossingOf(storage);
             })) {
            travels_[group].push_back({.span = std::move(span), .master = next++});
        }
    }
}

/// File bytes where the device makes the type of them, else what will lie there; none of what comes
/// at its leaf's first lease.
StorageCrossing GroupSlots::crossingOf(StorageId storage) const {
    const memory::Storage& master = place_.tree->storages[storage];
    const auto changed = changes_.find(storage);
    if (changed != changes_.end() && changed->second.comesAtLease) {
        return {};
    }
    const TypeChange change{.from = master.fileType,
                            .to = master.arrivalType.value_or(typeOf_[storage])};
    const bool isWidened = master.scaleCount == 0 && !master.encoded && change.from != change.to &&
                           place_.device.device->widens(change);
    return isWidened ? StorageCrossing{.bytes = master.fileBytes(), .widened = change}
                     : StorageCrossing{.bytes = memory::arrivalBytes(*place_.tree, storage)};
}

std::vector<PinnedMasters::Master> GroupSlots::streamingMasters() const {
    std::vector<PinnedMasters::Master> masters;
    for (const GroupId group : place_.layout->streamingOrder()) {
        for (const Travel& travel : travels_[group]) {
            masters.push_back({.id = travel.master, .span = travel.span});
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
        const DType type =
            span.widened ? span.widened->from : master.arrivalType.value_or(typeOf_[part.storage]);
        const std::span<std::byte> scratch = master.liesAs(type)
                                                 ? std::span<std::byte>()
                                                 : place_.device.scratchFor(place_.books.ledger);
        sources.push_back(
            place_.books.masters.source(*place_.tree, part.storage, type, scratch, arrival, stop));
    }
    return joinedSource(span, std::move(sources));
}

/// From files or, where it streams and there is room, from pinned memory that is read into once.
void GroupSlots::copy(GroupId group, const Travel& travel, const StopToken& stop) {
    place_.device.lendStaging(place_.books.ledger);
    const GroupState& state = groups_[group];
    const CopySpan& span = travel.span;
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
    const std::shared_ptr<PinnedMaster> pin = pins_->placeFor(travel.master, device, stop);
    ByteSource source = pin && pin->isFilled ? ByteSource() : sourceOf(span, state.arrival, stop);
    place_.books.traffic.addCopy(arriving, pin ? 0 : read);
    if (pin) {
        const auto fill = [pin, bytes = span.bytes, source = std::move(source)] {
            return source(pin->data, 0, bytes);
        };
        const auto noteRead = [&traffic = place_.books.traffic, read] { traffic.addRead(read); };
        device.copyInStaged(crossing, pin->data, pinned(pin, state.arrival, fill, noteRead), label);
    } else if (span.widened) {
        device.copyInWidened(crossing, std::move(source), label);
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
            place_.device.device->discard(
                state.address, planned.bytes, place_.tree->role + "." + planned.name);
        });
    } else {
        for (const StorageId storage : planned.storages) {
            place_.books.masters.dontNeed(*place_.tree, storage);
        }
    }
    for (const StorageId storage : planned.storages) {
        addressOf_[storage] = isMutant(Mutant::BoundLate) ? addressOf_[storage] : nullptr;
        const auto changed = changes_.find(storage);
        if (changed != changes_.end() && std::exchange(changed->second.isPending, false)) {
            --pendingChanges_;
        }
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
                    place_.tree->role + "." + place_.layout->groups[group].name +
                        " was asked for again after it failed to arrive or to be changed");
    }
}

void GroupSlots::applyChanges(LeafId leaf, const StopToken& stop) {
    if (pendingChanges_ == 0) {
        return;
    }
    for (const WeightId id : place_.tree->leaves[leaf].ownWeights()) {
        const StorageId storage = place_.tree->weights[id].storage;
        const auto changed = changes_.find(storage);
        if (changed != changes_.end() && changed->second.isPending) {
            changeOrDrop(leaf, storage, stop);
            changed->second.isPending = isMutant(Mutant::ChangedTwice);
            --pendingChanges_;
        }
    }
    for (const GroupId group : place_.layout->leafGroups[leaf]) {
        noteUse(group);
    }
}

/// What fails on its way (no memory for the sum, say) may have changed a part of the weight: all of
/// the leaf comes again before it is used again.
void GroupSlots::changeOrDrop(LeafId leaf, StorageId storage, const StopToken& stop) {
    try {
        change(storage, stop);
    } catch (...) {
        for (const GroupId group : place_.layout->leafGroups[leaf]) {
            groups_[group].arrival->isPartial = true;
            noteUse(group);  // compute may still be at it when the group is evicted
        }
        place_.device.hasFailed = true;
        throw;
    }
}

std::vector<FactoredChange> GroupSlots::factoredChanges(StorageId storage) const {
    return factored(changes_.at(storage).changes,
                    [&](WeightId factor) { return viewOf(place_.tree->weights[factor]); });
}

/// The numbers of a weight, all that its file has, in a tensor of their own. The run thread waits
/// until the file was read; compute waits for the copy.
at::Tensor GroupSlots::fetched(const memory::Weight& weight, const StopToken& stop) {
    const StorageId storage = weight.storage;
    const memory::Storage& master = place_.tree->storages[storage];
    const DType type = *master.arrivalType;
    residency::Device& device = *place_.device.device;
    const Shape& shape = weight.shape;
    const at::Tensor numbers =
        at::empty(weight.isTransposed ? Shape{shape[1], shape[0]} : shape,
                  at::TensorOptions(scalarTypeOf(type)).device(device.torchDevice()));
    place_.device.lendStaging(place_.books.ledger);
    const Bytes bytes = memory::arrivalBytes(*place_.tree, storage);
    ByteSource source = place_.books.masters.source(*place_.tree,
                                                    storage,
                                                    type,
                                                    place_.device.scratchFor(place_.books.ledger),
                                                    std::make_shared<Arrival>(),
                                                    stop);
    try {
        device.copyWaits(device.markCompute());  // what computed where the numbers come to
        device.copyIn(static_cast<std::byte*>(numbers.data_ptr()),
                      bytes,
                      std::move(source),
                      place_.tree->role + "." + weight.name);
        device.computeWaits(device.markCopy());
    } catch (...) {
        place_.device.drain();  // a copy that is queued writes to them
        throw;
    }
    return weight.isTransposed ? numbers.t() : numbers;
}

void GroupSlots::change(StorageId storage, const StopToken& stop) {
    const std::vector<FactoredChange> changes = factoredChanges(storage);
    const memory::Weight& weight = place_.tree->weights[changes.front().change->weight];
    const DType arrived = place_.tree->storages[storage].arrivalType.value_or(typeOf_[storage]);
    const at::Tensor target = viewOf(weight);
    const bool isExact = arrived == DType::F32 && typeOf_[storage] == DType::F32;
    at::Tensor exact = isExact ? target
                       : changes_.at(storage).comesAtLease
                           ? fetched(weight, stop).to(at::kFloat)
                           : viewOf(weight, arrived).to(at::kFloat, false, true);
    place_.books.mathOf(*place_.tree).apply(exact, changes);
    if (!isExact) {
        target.copy_(exact);
    }
}

at::Tensor GroupSlots::viewOf(const memory::Weight& weight) const {
    return viewOf(weight, typeOf_[weight.storage]);
}

at::Tensor GroupSlots::viewOf(const memory::Weight& weight, DType type) const {
    residency::Device& device = *place_.device.device;
    std::byte* address = addressOf_[weight.storage];
    const at::ScalarType elements = scalarTypeOf(type);
    return weight.isTransposed
               ? device.view(address, {weight.shape[1], weight.shape[0]}, elements).t()
               : device.view(address, weight.shape, elements);
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
    return isWhole && pendingChanges_ == 0 &&
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
        tensors.push_back(tensorOf(tree.weights[id]));
    }
    return tensors;
}

HeldBytes GroupSlots::heldOf(StorageId storage) const {
    if (place_.layout->isInPlace) {
        return place_.books.masters.mappedEncoded(*place_.tree, storage);
    }
    const memory::Storage& stored = place_.tree->storages[storage];
    std::byte* address = addressOf_[storage];
    HeldBytes held{
        .tensor = &*stored.encoded, .elementCount = stored.elementCount, .blocks = address};
    for (size_t i = 0; i < stored.encoded->companions.size(); ++i) {
        held.companions.push_back(address + stored.heldOffset(i));
    }
    return held;
}

at::Tensor GroupSlots::decoded(const memory::Weight& weight, DType type) const {
    const Shape& shape = weight.shape;
    const HeldBytes held = heldOf(weight.storage);
    residency::Device& device = *place_.device.device;
    return weight.isTransposed ? device.decode(held, {shape[1], shape[0]}, type).t()
                               : device.decode(held, shape, type);
}

/// A view where the weight lies in its compute type, else a tensor of its own. Scales are powers of
/// two: nothing is rounded by them. What lies encoded or in eight bits gets its changes here, in
/// f32 and with every lease.
at::Tensor GroupSlots::tensorOf(const memory::Weight& weight) const {
    const memory::Storage& storage = place_.tree->storages[weight.storage];
    const bool isChanged = changesAtLease(storage) && changes_.contains(weight.storage);
    const DType type = isChanged ? DType::F32 : weight.computeType;
    at::Tensor values;
    if (storage.staysEncoded) {
        values = decoded(weight, type);
    } else if (storage.scaleCount > 0) {
        residency::Device& device = *place_.device.device;
        const at::Tensor scales = device.view(
            addressOf_[weight.storage] + storage.scaleOffset(), {storage.scaleCount}, at::kFloat);
        values = device.dequantise(viewOf(weight), scales, type);
    } else {
        values = viewOf(weight).to(scalarTypeOf(type));
    }
    if (isChanged) {
        place_.books.mathOf(*place_.tree).apply(values, factoredChanges(weight.storage));
    }
    return values.to(scalarTypeOf(weight.computeType));
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
