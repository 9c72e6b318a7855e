#include "plugin/residency/pinned_masters.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"

#include <utility>

namespace lowtide::residency {

PinnedMasters::PinnedMasters(Device& device,
                             std::string deviceId,
                             Bytes most,
                             memory::Ledger& ledger)
    : device_(device), deviceId_(std::move(deviceId)), most_(most), ledger_(ledger) {}

PinnedMasters::~PinnedMasters() {
    if (memory_) {
        ledger_.add("cpu", memory::Tag::Staging, deviceId_, -memory_->size());
    }
}

std::shared_ptr<PinnedMaster> PinnedMasters::placeFor(memory::StorageId storage, Bytes bytes) {
    const auto known = places_.find(storage);
    if (known != places_.end()) {
        return known->second;
    }
    const Bytes size = alignUp(bytes, memory::kSlotAlignment);
    if (used_ + size > most_ || !hasMemory()) {
        return nullptr;
    }
    auto place = std::make_shared<PinnedMaster>();
    place->data = memory_->data() + used_;
    used_ += size;
    return places_[storage] = std::move(place);
}

bool PinnedMasters::hasMemory() {
    if (memory_) {
        return true;
    }
    try {
        memory_ = device_.allocateStaging(most_);
    } catch (const Error& error) {
        log(Level::Warning, std::string("nothing is pinned, copies are slower: ") + error.what());
        most_ = 0;
        return false;
    }
    ledger_.add("cpu", memory::Tag::Staging, deviceId_, memory_->size());
    return true;
}

}  // namespace lowtide::residency
