#include "plugin/residency/group_slots.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/adapted_tree.hpp"
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
std::function<bool()> pinned(std::shared_ptr<PinnedCopy> pin,
                             std::shared_ptr<Upload> upload,
                             std::function<bool()> fill,
                             std::function<void()> noteRead) {
    return [pin = std::move(pin),
            upload = std::move(upload),
            fill = std::move(fill),
            noteRead = std::move(noteRead)] {
        if (!pin->isFilled) {
            pin->isFilled = fill();
            noteRead();
            return pin->isFilled.load();
        }
        if (upload->isAbandoned) {
            upload->isPartial = true;
        }
        return !upload->isPartial;
    };
}

}  // namespace

GroupSlots::GroupSlots(GroupContext context)
    : context_(std::move(context)),
      held_(context_),
      changed_(context_, held_),
      groups_(context_.layout->groups.size()) {
    planCopies();
    pins_ = context_.accounting.pins.take(context_.tree,
                                          context_.device.id,
                                          context_.pinned,
                                          streamingCopies(),
                                          context_.accounting.ledger);
}

void GroupSlots::bring(GroupId group,
                       std::byte* address,
                       const StopToken& stop,
                       const std::string& node) {
    GroupState& state = groups_[group];
    LOWTIDE_ASSERT(!state.upload && (address || context_.layout->isInPlace));
    auto upload = std::make_shared<Upload>();
    count(group, +1);
    state = {.upload = std::move(upload), .address = address};
    const memory::Group& planned = context_.layout->groups[group];
    try {
        context_.accounting.ledger.event("copy",
                                         context_.device.id,
                                         node,
                                         context_.tree->role + "." + planned.name,
                                         planned.bytes);
        for (size_t i = 0; i < planned.storages.size(); ++i) {
            held_.put(planned.storages[i], address ? address + planned.offsets[i] : nullptr);
            changed_.noteComing(planned.storages[i]);
        }
        for (const PlannedCopy& each : copies_[group]) {
            copy(group, each, stop);
        }
    } catch (...) {
        state.upload->isPartial = true;  // copies of the first storages may be under way
        context_.device.hasFailed = true;
        throw;
    }
    if (address) {
        state.ready = context_.device.device->markCopy();
    }
}

void GroupSlots::planCopies() {
    copies_.resize(groups_.size());
    PinnedCopies::HostCopyId next = 0;
    for (GroupId group = 0; !context_.layout->isInPlace && group < groups_.size(); ++group) {
        for (CopySpan& span : copySpans(context_.layout->groups[group], [this](StorageId storage) {
                 return transferOf(storage);
             })) {
            copies_[group].push_back({.span = std::move(span), .hostCopy = next++});
        }
    }
}

/// File bytes where the device makes the type of them, else what will lie there; none of what comes
/// at its leaf's first lease.
StorageTransfer GroupSlots::transferOf(StorageId storage) const {
    const memory::Storage& hostCopy = context_.tree->storages[storage];
    if (changed_.comesWhenAdapted(storage)) {
        return {};
    }
    const TypeChange change{.from = hostCopy.fileType, .to = held_.uploadTypeOf(storage)};
    const bool isWidened = hostCopy.scaleCount == 0 && !hostCopy.encoded &&
                           change.from != change.to &&
                           context_.device.device->extras().widens(change);
    return isWidened ? StorageTransfer{.bytes = hostCopy.fileBytes(), .widened = change}
                     : StorageTransfer{.bytes = memory::uploadBytes(*context_.tree, storage)};
}

std::vector<PinnedCopies::HostCopy> GroupSlots::streamingCopies() const {
    std::vector<PinnedCopies::HostCopy> hostWeights;
    for (const GroupId group : context_.layout->streamingOrder()) {
        for (const PlannedCopy& each : copies_[group]) {
            hostWeights.push_back({.id = each.hostCopy, .span = each.span});
        }
    }
    return hostWeights;
}

/// The bytes of a copy as its files have them, or as what will lie on the device.
ByteSource GroupSlots::sourceOf(const CopySpan& span,
                                const std::shared_ptr<Upload>& upload,
                                const StopToken& stop) {
    std::vector<ByteSource> sources;
    for (const CopySpan::Part& part : span.parts) {
        const memory::Storage& hostCopy = context_.tree->storages[part.storage];
        const DType type = span.widened ? span.widened->from : held_.uploadTypeOf(part.storage);
        const std::span<std::byte> scratch =
            hostCopy.liesAs(type) ? std::span<std::byte>()
                                  : context_.device.scratchFor(context_.accounting.ledger);
        sources.push_back(context_.accounting.hostWeights.source(
            *context_.tree, part.storage, type, scratch, upload, stop));
    }
    return joinedSource(span, std::move(sources));
}

/// From files or, where it streams and there is space, from pinned memory that is read into once.
void GroupSlots::copy(GroupId group, const PlannedCopy& planned, const StopToken& stop) {
    context_.device.lendStaging(context_.accounting.ledger);
    const GroupState& state = groups_[group];
    const CopySpan& span = planned.span;
    Device& device = *context_.device.device;
    Bytes read = 0;
    Bytes arriving = 0;
    for (const CopySpan::Part& part : span.parts) {
        read += context_.tree->storages[part.storage].readBytes();
        arriving += memory::uploadBytes(*context_.tree, part.storage);
    }
    const Transfer transfer{
        .target = state.address + span.target, .bytes = span.bytes, .widened = span.widened};
    const std::string label = context_.tree->role + "." + context_.layout->groups[group].name;
    const std::shared_ptr<PinnedCopy> pin = pins_->pinFor(planned.hostCopy, device, stop);
    ByteSource source = pin && pin->isFilled ? ByteSource() : sourceOf(span, state.upload, stop);
    context_.accounting.traffic.addCopy(arriving, pin ? 0 : read);
    if (pin) {
        const auto fill = [pin, bytes = span.bytes, source = std::move(source)] {
            return source(pin->data, 0, bytes);
        };
        const auto noteRead = [&traffic = context_.accounting.traffic, read] {
            traffic.addRead(read);
        };
        device.copyInStaged(transfer, pin->data, pinned(pin, state.upload, fill, noteRead), label);
    } else if (span.widened) {
        device.extras().copyInWidened(transfer, std::move(source), label);
    } else {
        device.copyIn(transfer.target, transfer.bytes, std::move(source), label);
    }
}

void GroupSlots::evict(GroupId group, const std::string& node) {
    GroupState& state = groups_[group];
    LOWTIDE_ASSERT(state.upload != nullptr);
    const memory::Group& planned = context_.layout->groups[group];
    state.upload->isAbandoned = true;
    if (state.lastUse && !isMutant(Mutant::CopyDoesNotWait)) {
        context_.device.unlessLost([&] { context_.device.device->copyWaits(state.lastUse); });
    }
    if (state.address) {
        context_.device.unlessLost([&] {
            context_.device.device->extras().discard(
                state.address, planned.bytes, context_.tree->role + "." + planned.name);
        });
    }
    for (const StorageId storage : planned.storages) {
        held_.remove(storage);
        changed_.noteGone(storage);
    }
    count(group, -1);
    state = {};
    context_.accounting.ledger.event(
        "evict", context_.device.id, node, context_.tree->role + "." + planned.name, planned.bytes);
}

void GroupSlots::abandon(GroupId group) {
    if (groups_[group].upload) {
        groups_[group].upload->isAbandoned = true;
    }
}

void GroupSlots::waitFor(GroupId group) {
    GroupState& state = groups_[group];
    if (state.ready && !isMutant(Mutant::ComputeDoesNotWait)) {
        try {
            context_.device.device->computeWaits(state.ready);
        } catch (...) {
            context_.device.hasFailed = true;
            throw;
        }
        state.ready.reset();
    }
    if (state.upload && state.upload->isPartial) {
        throw Error(ErrorKind::Internal,
                    message("{}.{} was asked for again after it failed to arrive or to be changed",
                            context_.tree->role,
                            context_.layout->groups[group].name));
    }
}

/// Where it fails all of the leaf comes again before it is used again.
void GroupSlots::applyDeltas(LeafId leaf, const StopToken& stop) {
    if (changed_.areAllDone()) {
        return;
    }
    const std::vector<GroupId>& groups = context_.layout->leafGroups[leaf];
    try {
        for (const WeightId id : context_.tree->leaves[leaf].ownWeights()) {
            const StorageId storage = context_.tree->weights[id].storage;
            if (changed_.isPending(storage)) {
                changed_.applyDeltas(storage, stop);
            }
        }
    } catch (...) {
        for (const GroupId group : groups) {
            groups_[group].upload->isPartial = true;
            noteUse(group);  // compute may still be at it when the group is evicted
        }
        context_.device.hasFailed = true;
        throw;
    }
    for (const GroupId group : groups) {
        noteUse(group);
    }
}

bool GroupSlots::isComplete(GroupId group) const {
    const GroupState& state = groups_[group];
    if (!state.upload || state.upload->isPartial) {
        return false;
    }
    try {
        if (state.ready) {
            context_.device.device->hostWaits(state.ready);
        }
    } catch (...) {
        return false;  // the failure itself was reported to whoever used the component
    }
    return !state.upload->isPartial;
}

bool GroupSlots::isSettled() const {
    const auto& expected = context_.layout->order;
    const bool isWhole = std::all_of(
        expected.begin(), expected.end(), [&](GroupId group) { return isThere(group); });
    return isWhole && changed_.areAllDone() &&
           std::all_of(groups_.begin(), groups_.end(), [](const GroupState& state) {
               return !state.upload || !state.ready;
           });
}

void GroupSlots::noteUse(GroupId group) noexcept {
    context_.device.unlessLost(
        [&] { groups_[group].lastUse = context_.device.device->markCompute(); });
}

void GroupSlots::noteUses() {
    const EventRef use = context_.device.device->markCompute();
    for (GroupState& state : groups_) {
        if (state.upload) {
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
        if (context_.layout->isInPlace) {
            context_.accounting.hostWeights.requireNotTruncated(*context_.tree,
                                                                tree.weights[id].storage);
        }
        tensors.push_back(changed_.tensorOf(tree.weights[id]));
    }
    return tensors;
}

/// An arena is in the ledger already, as Workspace; mapped pages are not.
void GroupSlots::count(GroupId group, int direction) const {
    const Bytes bytes = direction * context_.layout->groups[group].bytes;
    if (context_.layout->isInPlace) {
        context_.accounting.ledger.add(
            context_.device.id, memory::Tag::Weights, context_.tree->role, bytes);
    } else {
        countSlots(context_.accounting.ledger, context_.device.id, context_.tree->role, bytes);
    }
}

}  // namespace lowtide::residency
