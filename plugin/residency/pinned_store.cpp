#include "plugin/residency/pinned_store.hpp"

#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

std::shared_ptr<PinnedMasters> PinnedStore::take(
    std::shared_ptr<const memory::ComponentTree> component,
    const std::string& device,
    Bytes most,
    const std::vector<PinnedMasters::Master>& wanted,
    memory::Ledger& ledger) {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
        return kept.tree->id == component->id && kept.device == device;
    });
    const bool isKnown = known != kept_.end();
    if (isKnown && known->isIdle() && known->masters->holds(wanted, most)) {
        return known->masters;
    }
    auto made = std::make_shared<PinnedMasters>(device, most, wanted, ledger);
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
            found.push_back({kept.tree->id, kept.device, kept.masters->bytes()});
        }
    }
    return found;
}

Bytes PinnedStore::drop(const IsMeant& isMeant) {
    Bytes dropped = 0;
    std::erase_if(kept_, [&](const Kept& kept) {
        const bool goes = kept.isIdle() && isMeant(*kept.tree, kept.device);
        dropped += goes ? kept.masters->bytes() : 0;
        return goes;
    });
    return dropped;
}

}  // namespace lowtide::residency
