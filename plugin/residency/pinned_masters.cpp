#include "plugin/residency/pinned_masters.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"

#include <utility>

namespace lowtide::residency {

PinnedMasters::PinnedMasters(Device& device,
                             std::string deviceId,
                             Bytes most,
                             const std::vector<Master>& masters,
                             memory::Ledger& ledger,
                             Bytes blockBytes)
    : device_(device), deviceId_(std::move(deviceId)), ledger_(ledger) {
    Bytes used = 0;
    for (const Master& master : masters) {
        const Bytes size = alignUp(master.bytes, memory::kSlotAlignment);
        if (used + size > most) {
            continue;
        }
        if (blocks_.empty() || blocks_.back().bytes + size > blockBytes) {
            blocks_.emplace_back();
        }
        places_[master.storage] = {.block = blocks_.size() - 1, .offset = blocks_.back().bytes};
        blocks_.back().bytes += size;
        used += size;
    }
}

PinnedMasters::~PinnedMasters() {
    for (const Block& block : blocks_) {
        if (block.memory) {
            ledger_.add("cpu", memory::Tag::Staging, deviceId_, -block.memory->size());
        }
    }
}

std::shared_ptr<PinnedMaster> PinnedMasters::placeFor(memory::StorageId storage,
                                                      const StopToken& stop) {
    const auto found = places_.find(storage);
    if (found == places_.end()) {
        return nullptr;
    }
    Place& place = found->second;
    if (!place.master && isPinned(blocks_[place.block], stop)) {
        place.master = std::make_shared<PinnedMaster>();
        place.master->data = blocks_[place.block].memory->data() + place.offset;
    }
    return place.master;
}

bool PinnedMasters::isPinned(Block& block, const StopToken& stop) {
    if (block.memory || isRefused_) {
        return block.memory != nullptr;
    }
    stop.throwIfStopped();
    try {
        block.memory = device_.allocateStaging(block.bytes);
    } catch (const Error& error) {
        log(Level::Warning, std::string("no more is pinned, copies are slower: ") + error.what());
        isRefused_ = true;
        return false;
    }
    ledger_.add("cpu", memory::Tag::Staging, deviceId_, block.memory->size());
    return true;
}

}  // namespace lowtide::residency
