#include "plugin/residency/pinned_copies.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

namespace {

/// Where what lies `distance` bytes into a span on the device is among the bytes that cross; slots
/// are aligned to more than numbers of any type take.
Bytes transferOffset(Bytes distance, const std::optional<TypeChange>& widened) {
    return widened ? distance / sizeOf(widened->to) * sizeOf(widened->from) : distance;
}

}  // namespace

std::vector<CopySpan> copySpans(const memory::Group& group,
                                const std::function<StorageTransfer(memory::StorageId)>& transfer) {
    std::vector<CopySpan> spans;
    bool goesOn = false;
    for (size_t i = 0; i < group.storages.size(); ++i) {
        const StorageTransfer own = transfer(group.storages[i]);
        goesOn = goesOn && own.bytes > 0;
        if (own.bytes == 0) {
            continue;
        }
        if (!goesOn || spans.back().widened != own.widened) {
            spans.push_back({.parts = {}, .target = group.offsets[i], .widened = own.widened});
            goesOn = true;
        }
        CopySpan& span = spans.back();
        const Bytes offset = transferOffset(group.offsets[i] - span.target, span.widened);
        span.parts.push_back({group.storages[i], offset, own.bytes});
        span.bytes = offset + own.bytes;
    }
    return spans;
}

ByteSource joinedSource(const CopySpan& span, std::vector<ByteSource> sources) {
    if (sources.size() == 1) {
        return std::move(sources.front());
    }
    return [parts = span.parts, sources = std::move(sources)](
               std::byte* target, Bytes offset, Bytes count) {
        for (size_t i = 0; i < parts.size(); ++i) {
            const Bytes begin = std::max(offset, parts[i].offset);
            const Bytes end = std::min(offset + count, parts[i].offset + parts[i].bytes);
            const bool isWanted =
                begin >= end ||
                sources[i](target + (begin - offset), begin - parts[i].offset, end - begin);
            if (!isWanted) {
                return false;
            }
        }
        return true;
    };
}

PinnedCopies::PinnedCopies(std::string deviceId,
                           Bytes most,
                           const std::vector<HostCopy>& copies,
                           memory::Ledger& ledger,
                           Bytes blockBytes)
    : deviceId_(std::move(deviceId)), copies_(copies), ledger_(ledger), blockBytes_(blockBytes) {
    makeSlots(most);
}

Bytes PinnedCopies::reserved() const {
    Bytes reserved = 0;
    for (const Block& block : blocks_) {
        reserved += block.bytes;
    }
    return reserved;
}

/// Behind those that are there.
void PinnedCopies::makeSlots(Bytes most) {
    Bytes used = reserved();
    for (const HostCopy& copy : copies_) {
        const Bytes size = alignUp(copy.span.bytes, memory::kSlotAlignment);
        if (used + size > most || slots_.contains(copy.id)) {
            continue;
        }
        const bool isFull =
            blocks_.empty() || blocks_.back().memory || blocks_.back().bytes + size > blockBytes_;
        if (isFull) {
            blocks_.emplace_back();
        }
        slots_[copy.id] = {.block = blocks_.size() - 1, .offset = blocks_.back().bytes};
        blocks_.back().bytes += size;
        used += size;
    }
}

bool PinnedCopies::holds(const std::vector<HostCopy>& copies, Bytes most) {
    if (reserved() > most || copies != copies_) {
        return false;
    }
    isRefused_ = false;
    makeSlots(most);
    return true;
}

PinnedCopies::~PinnedCopies() {
    ledger_.add("cpu", memory::Tag::Staging, deviceId_, -bytes());
}

Bytes PinnedCopies::bytes() const {
    Bytes pinned = 0;
    for (const Block& block : blocks_) {
        pinned += block.memory ? block.memory->size() : 0;
    }
    return pinned;
}

std::shared_ptr<PinnedCopy> PinnedCopies::pinFor(HostCopyId copy,
                                                 Device& device,
                                                 const StopToken& stop) {
    const auto found = slots_.find(copy);
    if (found == slots_.end()) {
        return nullptr;
    }
    PinSlot& slot = found->second;
    if (!slot.copy && isPinned(blocks_[slot.block], device, stop)) {
        slot.copy = std::make_shared<PinnedCopy>();
        slot.copy->data = blocks_[slot.block].memory->data() + slot.offset;
    }
    return slot.copy;
}

bool PinnedCopies::isPinned(Block& block, Device& device, const StopToken& stop) {
    if (block.memory || isRefused_) {
        return block.memory != nullptr;
    }
    stop.throwIfStopped();
    try {
        block.memory = device.allocateStaging(block.bytes);
    } catch (const Error& error) {
        log(Level::Warning, std::string("no more is pinned, copies are slower: ") + error.what());
        isRefused_ = true;
        return false;
    }
    ledger_.add("cpu", memory::Tag::Staging, deviceId_, block.memory->size());
    return true;
}

std::shared_ptr<PinnedCopies> PinnedStore::take(
    std::shared_ptr<const memory::ComponentTree> component,
    const std::string& device,
    Bytes most,
    const std::vector<PinnedCopies::HostCopy>& wanted,
    memory::Ledger& ledger) {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
        return kept.tree->id == component->id && kept.device == device;
    });
    const bool isKnown = known != kept_.end();
    if (isKnown && known->isIdle() && known->copies->holds(wanted, most)) {
        return known->copies;
    }
    auto made = std::make_shared<PinnedCopies>(device, most, wanted, ledger);
    if (isKnown && !known->isIdle()) {
        return made;
    }
    if (isKnown) {
        kept_.erase(known);
    }
    if (!made->isEmpty()) {
        kept_.push_back({std::move(component), device, made});
    }
    return made;
}

std::vector<memory::PinnedComponent> PinnedStore::idle() const {
    std::vector<memory::PinnedComponent> found;
    for (const Kept& kept : kept_) {
        if (kept.isIdle()) {
            found.push_back({kept.tree->id, kept.device, kept.copies->bytes()});
        }
    }
    return found;
}

Bytes PinnedStore::drop(const IsMeant& isMeant) {
    Bytes dropped = 0;
    std::erase_if(kept_, [&](const Kept& kept) {
        const bool goes = kept.isIdle() && isMeant(*kept.tree, kept.device);
        dropped += goes ? kept.copies->bytes() : 0;
        return goes;
    });
    return dropped;
}

}  // namespace lowtide::residency
