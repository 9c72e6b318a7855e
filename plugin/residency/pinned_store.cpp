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
    if (known != kept_.end() && known->isIdle()) {
        if (known->masters->holds(wanted, most)) {
            return known->masters;
        }
        kept_.erase(known);
    }
    auto made = std::make_shared<PinnedMasters>(device, most, wanted, ledger);
    if (!made->isEmpty() && !isUsed(*component, device)) {
        kept_.push_back({std::move(component), device, made});
    }
    return made;
}

bool PinnedStore::isUsed(const memory::ComponentTree& component, const std::string& device) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) {
        return kept.tree->id == component.id && kept.device == device;
    });
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
