#include "plugin/memory/component_tree.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

/// The storages that a device must hold: those of leaves that are not gathered.
std::vector<bool> residentStorages(const ComponentTree& tree) {
    std::vector<bool> resident(tree.storages.size(), false);
    for (const Leaf& leaf : tree.leaves) {
        if (!leaf.gathered) {
            for (const WeightId weight : leaf.weights) {
                resident[tree.weights[weight].storage] = true;
            }
        }
    }
    return resident;
}

}  // namespace

Bytes ComponentTree::deviceBytes(StorageId storage) const {
    const auto user = std::find_if(weights.begin(), weights.end(), [&](const Weight& weight) {
        return weight.storage == storage;
    });
    const DType type = user == weights.end() ? storages[storage].fileType : user->computeType;
    return storages[storage].elementCount * sizeOf(type);
}

Bytes ComponentTree::deviceBytes() const {
    const std::vector<bool> resident = residentStorages(*this);
    std::vector<Bytes> bytes(storages.size(), 0);
    for (const Weight& weight : weights) {
        bytes[weight.storage] = storages[weight.storage].elementCount * sizeOf(weight.computeType);
    }
    Bytes total = 0;
    for (StorageId storage = 0; storage < storages.size(); ++storage) {
        total += resident[storage] ? alignUp(bytes[storage], kSlotAlignment) : 0;
    }
    return total;
}

Bytes ComponentTree::fileBytes() const {
    Bytes total = 0;
    for (const Storage& storage : storages) {
        total += storage.fileBytes();
    }
    return total;
}

}  // namespace lowtide::memory
