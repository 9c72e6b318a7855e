#include "plugin/memory/component_tree.hpp"

#include "plugin/memory/device_spec.hpp"

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

/// Of one storage whose elements lie on the device as `type`.
Bytes bytesAs(const Storage& storage, DType type) {
    if (storage.isKeptEncoded) {
        return storage.heldOffset(storage.encoded->companions.size());
    }
    return storage.scaleCount > 0 ? storage.scaleOffset() + storage.scaleCount * sizeOf(DType::F32)
                                  : storage.elementCount * sizeOf(type);
}

}  // namespace

Bytes Storage::readBytes() const {
    Bytes bytes = fileBytes();
    if (encoded) {
        for (const Companion& companion : encoded->companions) {
            bytes += companion.bytes();
        }
    }
    return bytes;
}

Bytes Storage::heldOffset(size_t companion) const {
    constexpr Bytes kAlignment = 16;  // for kernels that read whole words
    Bytes offset = fileBytes();
    for (size_t i = 0; i < companion; ++i) {
        offset = alignUp(offset, kAlignment) + encoded->companions[i].bytes();
    }
    return companion < encoded->companions.size() ? alignUp(offset, kAlignment) : offset;
}

Bytes Storage::scaleOffset() const {
    return alignUp(elementCount * sizeOf(deviceType.value_or(fileType)), sizeOf(DType::F32));
}

DType ComponentTree::deviceType(StorageId storage) const {
    if (storages[storage].deviceType) {
        return *storages[storage].deviceType;
    }
    const auto user = std::find_if(weights.begin(), weights.end(), [&](const Weight& weight) {
        return weight.storage == storage;
    });
    return user == weights.end() ? storages[storage].fileType : user->computeType;
}

bool ComponentTree::isConverted(StorageId storage) const {
    return !storages[storage].liesAs(deviceType(storage));
}

Bytes ComponentTree::deviceBytes(StorageId storage) const {
    return bytesAs(storages[storage], deviceType(storage));
}

std::vector<Bytes> ComponentTree::bytesOfStorages() const {
    std::vector<std::optional<DType>> types;
    for (const Storage& storage : storages) {
        types.push_back(storage.deviceType);
    }
    for (const Weight& weight : weights) {
        types[weight.storage] = types[weight.storage].value_or(weight.computeType);
    }
    std::vector<Bytes> bytes;
    for (StorageId storage = 0; storage < storages.size(); ++storage) {
        const DType type = types[storage].value_or(storages[storage].fileType);
        bytes.push_back(bytesAs(storages[storage], type));
    }
    return bytes;
}

Bytes ComponentTree::deviceBytes() const {
    const std::vector<bool> resident = residentStorages(*this);
    const std::vector<Bytes> bytes = bytesOfStorages();
    Bytes total = 0;
    for (StorageId storage = 0; storage < storages.size(); ++storage) {
        total += resident[storage] ? alignUp(bytes[storage], kSlotAlignment) : 0;
    }
    return total;
}

std::vector<const WeightDelta*> ComponentTree::deltasOf(StorageId storage) const {
    std::vector<const WeightDelta*> found;
    for (const WeightDelta& delta : deltas) {
        if (weights[delta.weight].storage == storage) {
            found.push_back(&delta);
        }
    }
    return found;
}

std::vector<WeightFile> ComponentTree::networkFiles() const {
    std::vector<bool> isOfAdapter(files.size(), false);
    for (const Leaf& leaf : leaves) {
        for (const WeightId weight :
             std::span(leaf.weights).last(leaf.addedCount + leaf.factorCount)) {
            isOfAdapter[storages[weights[weight].storage].file] = true;
        }
    }
    std::vector<WeightFile> own;
    for (size_t i = 0; i < files.size(); ++i) {
        if (!isOfAdapter[i]) {
            own.push_back(files[i]);
        }
    }
    return own;
}

Bytes ComponentTree::fileBytes() const {
    Bytes total = 0;
    for (const Storage& storage : storages) {
        total += storage.readBytes();
    }
    return total;
}

}  // namespace lowtide::memory
