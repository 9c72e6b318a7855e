#include "plugin/residency/component_state.hpp"

#include "plugin/base/error.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <utility>

namespace lowtide::residency {

using memory::LeafId;
using memory::StorageId;
using memory::WeightId;

ComponentState::ComponentState(std::shared_ptr<const memory::ComponentTree> tree,
                               DeviceState& device,
                               Bookkeeping& books)
    : tree_(std::move(tree)), device_(device), books_(books), ready_(tree_->leaves.size()) {
    requireUsable();
    makeSlots();
}

ComponentState::~ComponentState() {
    LOWTIDE_ASSERT(!isOnDevice());
}

void ComponentState::requireUsable() const {
    for (const memory::Weight& weight : tree_->weights) {
        const DType fileType = tree_->storages[weight.storage].fileType;
        if (!canConvert(fileType, weight.computeType)) {
            throw Error(ErrorKind::Unsupported,
                        tree_->role + ": the weight " + weight.name + " is " +
                            std::string(nameOf(fileType)) + " in its file and cannot be used as " +
                            std::string(nameOf(weight.computeType)),
                        "use a checkpoint whose weights are F32, F16, BF16 or F8");
        }
        if (weight.kind == memory::WeightKind::StateBuffer) {
            throw Error(ErrorKind::Unsupported,
                        tree_->role + ": the state buffer " + weight.name +
                            " would have to be written back, which this version does not do");
        }
    }
}

void ComponentState::makeSlots() {
    const memory::DeviceTraits traits = device_.device->traits();
    slots_.resize(tree_->storages.size());
    for (const memory::Leaf& leaf : tree_->leaves) {
        for (const WeightId id : leaf.weights) {
            const memory::Weight& weight = tree_->weights[id];
            Slot& slot = slots_[weight.storage];
            slot.type = weight.computeType;
            if (!leaf.gathered) {
                slot.bytes =
                    tree_->storages[weight.storage].elementCount * sizeOf(weight.computeType);
            }
        }
    }
    for (StorageId storage = 0; storage < slots_.size(); ++storage) {
        Slot& slot = slots_[storage];
        if (slot.bytes == 0) {
            continue;
        }
        if (memory::isUsedInPlace(*tree_, storage, traits)) {
            slot.inPlace = books_.masters.mapped(*tree_, storage);
        }
        if (slot.inPlace) {
            inPlaceBytes_ += slot.bytes;
        } else {
            slot.offset = slotBytes_;
            slotBytes_ += alignUp(slot.bytes, memory::kSlotAlignment);
        }
    }
}

void ComponentState::placeAlone() {
    if (slotBytes_ > 0) {
        ownArena_ =
            std::make_unique<CountedArena>(*device_.device, device_.id, slotBytes_, books_.ledger);
        region_ = ownArena_->data();
    }
}

void ComponentState::bring(const StopToken& stop, const std::string& node) {
    LOWTIDE_ASSERT(!isOnDevice() && (region_ || slotBytes_ == 0));
    arrival_ = std::make_shared<Arrival>();
    count(+1);
    books_.ledger.event("copy", device_.id, node, tree_->role, deviceBytes());
    std::vector<bool> isBrought(slots_.size(), false);
    for (LeafId leaf = 0; leaf < tree_->leaves.size(); ++leaf) {
        if (bringLeaf(leaf, isBrought, stop)) {
            arrived_ = device_.device->markCopy();
        }
        // Storages that an earlier leaf brought too lie before the newest event: the lane keeps its
        // order.
        ready_[leaf] = arrived_;
    }
}

bool ComponentState::bringLeaf(LeafId leaf, std::vector<bool>& isBrought, const StopToken& stop) {
    bool isEnqueued = false;
    if (tree_->leaves[leaf].gathered) {
        return isEnqueued;
    }
    for (const WeightId weight : tree_->leaves[leaf].weights) {
        const StorageId storage = tree_->weights[weight].storage;
        const Slot& slot = slots_[storage];
        if (isBrought[storage]) {
            continue;
        }
        isBrought[storage] = true;
        if (slot.inPlace) {
            books_.masters.willNeed(*tree_, storage);
            books_.traffic.addRead(slot.bytes);
        } else if (slot.hasSlot()) {
            copyStorage(storage, stop);
            isEnqueued = true;
        }
    }
    return isEnqueued;
}

void ComponentState::copyStorage(StorageId storage, const StopToken& stop) {
    const Slot& slot = slots_[storage];
    const memory::Storage& master = tree_->storages[storage];
    const bool isConverted = slot.type != master.fileType;
    device_.device->copyIn(region_ + slot.offset,
                           slot.bytes,
                           books_.masters.source(*tree_,
                                                 storage,
                                                 slot.type,
                                                 isConverted ? device_.scratchFor(books_.ledger)
                                                             : std::span<std::byte>(),
                                                 arrival_,
                                                 stop),
                           tree_->role + "." + master.key);
    books_.traffic.addCopy(slot.bytes, master.fileBytes());
}

void ComponentState::evict(const std::string& node) {
    LOWTIDE_ASSERT(isOnDevice() && !isLeased());
    arrival_->isAbandoned = true;
    if (lastUse_) {
        device_.device->copyWaits(lastUse_);
    }
    if (slotBytes_ > 0) {
        device_.device->discard(region_, slotBytes_, tree_->role);
    }
    for (StorageId storage = 0; storage < slots_.size(); ++storage) {
        if (slots_[storage].inPlace) {
            books_.masters.dontNeed(*tree_, storage);
        }
    }
    count(-1);
    books_.ledger.event("evict", device_.id, node, tree_->role, deviceBytes());
    arrival_.reset();
    settle();
}

void ComponentState::abandon() {
    if (arrival_) {
        arrival_->isAbandoned = true;
    }
}

bool ComponentState::isComplete() const {
    if (!arrival_ || arrival_->isPartial) {
        return false;
    }
    try {
        if (arrived_) {
            device_.device->hostWaits(arrived_);
        }
    } catch (...) {
        return false;  // the failure itself was told to whoever used the component
    }
    return true;
}

void ComponentState::settle() {
    ready_.assign(ready_.size(), nullptr);
    arrived_.reset();
    lastUse_.reset();
}

void ComponentState::waitFor(LeafId leaf) {
    if (!ready_[leaf]) {
        return;
    }
    try {
        device_.device->computeWaits(ready_[leaf]);
    } catch (...) {
        device_.hasFailed = true;
        throw;
    }
    ready_[leaf].reset();
}

std::vector<at::Tensor> ComponentState::tensors(LeafId leaf) const {
    std::vector<at::Tensor> tensors;
    tensors.reserve(tree_->leaves[leaf].weights.size());
    for (const WeightId id : tree_->leaves[leaf].weights) {
        const memory::Weight& weight = tree_->weights[id];
        const Slot& slot = slots_[weight.storage];
        // ATen has no tensor over constant memory; the map is read-only, so a write ends the
        // program at once.
        std::byte* data =
            slot.inPlace ? const_cast<std::byte*>(slot.inPlace) : region_ + slot.offset;
        tensors.push_back(
            device_.device->view(data, weight.shape, scalarTypeOf(weight.computeType)));
    }
    return tensors;
}

void ComponentState::hint(LeafId leaf) const noexcept {
    for (const WeightId weight : tree_->leaves[leaf].weights) {
        const StorageId storage = tree_->weights[weight].storage;
        if (slots_[storage].inPlace) {
            books_.masters.willNeed(*tree_, storage);
        }
    }
}

void ComponentState::dropLease() {
    --leases_;
    lastUse_ = device_.device->markCompute();
}

void ComponentState::count(int direction) const {
    countSlots(books_.ledger, device_.id, tree_->role, direction * slotBytes_);
    books_.ledger.add(device_.id, memory::Tag::Weights, tree_->role, direction * inPlaceBytes_);
}

}  // namespace lowtide::residency
