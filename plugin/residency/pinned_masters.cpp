#include "plugin/residency/pinned_masters.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"

#include <utility>

namespace lowtide::residency {

PinnedMasters::PinnedMasters(std::string deviceId,
                             Bytes most,
                             const std::vector<Master>& masters,
                             memory::Ledger& ledger,
                             Bytes blockBytes)
    : deviceId_(std::move(deviceId)), masters_(masters), ledger_(ledger), blockBytes_(blockBytes) {
    makePlaces(most);
}

Bytes PinnedMasters::reserved() const {
    Bytes reserved = 0;
    for (const Block& block : blocks_) {
        reserved += block.bytes;
    }
    return reserved;
}

/// Behind those that are there.
void PinnedMasters::makePlaces(Bytes most) {
    Bytes used = reserved();
    for (const Master& master : masters_) {
        const Bytes size = alignUp(master.span.bytes, memory::kSlotAlignment);
        if (used + size > most || places_.contains(master.id)) {
            continue;
        }
        const bool isFull =
            blocks_.empty() || blocks_.back().memory || blocks_.back().bytes + size > blockBytes_;
        if (isFull) {
            blocks_.emplace_back();
        }
        places_[master.id] = {.block = blocks_.size() - 1, .offset = blocks_.back().bytes};
        blocks_.back().bytes += size;
        used += size;
    }
}

bool PinnedMasters::holds(const std::vector<Master>& masters, Bytes most) {
    if (reserved() > most || masters != masters_) {
        return false;
    }
    isRefused_ = false;
    makePlaces(most);
    return true;
}

PinnedMasters::~PinnedMasters() {
    ledger_.add("cpu", memory::Tag::Staging, deviceId_, -bytes());
}

Bytes PinnedMasters::bytes() const {
    Bytes pinned = 0;
    for (const Block& block : blocks_) {
        pinned += block.memory ? block.memory->size() : 0;
    }
    return pinned;
}

std::shared_ptr<PinnedMaster> PinnedMasters::placeFor(MasterId master,
                                                      Device& device,
                                                      const StopToken& stop) {
    const auto found = places_.find(master);
    if (found == places_.end()) {
        return nullptr;
    }
    Place& place = found->second;
    if (!place.master && isPinned(blocks_[place.block], device, stop)) {
        place.master = std::make_shared<PinnedMaster>();
        place.master->data = blocks_[place.block].memory->data() + place.offset;
    }
    return place.master;
}

bool PinnedMasters::isPinned(Block& block, Device& device, const StopToken& stop) {
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

}  // namespace lowtide::residency
