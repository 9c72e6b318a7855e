#include "plugin/residency/changed_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/changed_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/mutant.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::residency {

using memory::StorageId;
using memory::WeightId;

ChangedWeights::ChangedWeights(const GroupPlace& place, const HeldWeights& held)
    : place_(place), held_(held) {
    LOWTIDE_ASSERT(place_.tree->changes.empty() || !place_.layout->isInPlace);
    for (const memory::WeightChange& change : place_.tree->changes) {
        changes_[place_.tree->weights[change.weight].storage].push_back(&change);
    }
    for (const memory::Group& group : place_.layout->groups) {
        for (const StorageId storage : group.storages) {
            if (group.isResident && changes_.contains(storage) &&
                memory::arrivalBytes(*place_.tree, storage) > place_.tree->deviceBytes(storage)) {
                comingWhenChanged_.insert(storage);
            }
        }
    }
}

void ChangedWeights::noteComing(StorageId storage) {
    if (!changes_.contains(storage) || changesAtLease(place_.tree->storages[storage])) {
        return;
    }
    pending_.insert(storage);
    if (comesWhenChanged(storage)) {  // planned, and counted, with its group
        place_.books.traffic.addCopy(memory::arrivalBytes(*place_.tree, storage),
                                     place_.tree->storages[storage].readBytes());
    }
}

void ChangedWeights::change(StorageId storage, const StopToken& stop) {
    const std::vector<FactoredChange> changes = factoredChanges(storage);
    const memory::Weight& weight = place_.tree->weights[changes.front().change->weight];
    const DType arrived = held_.arrivalTypeOf(storage);
    const at::Tensor target = held_.viewOf(weight);
    const bool isExact = arrived == DType::F32 && held_.typeOf(storage) == DType::F32;
    at::Tensor exact = isExact ? target
                       : comesWhenChanged(storage)
                           ? fetched(weight, stop).to(at::kFloat)
                           : held_.viewOf(weight, arrived).to(at::kFloat, false, true);
    place_.books.mathOf(*place_.tree).apply(exact, changes);
    if (!isExact) {
        target.copy_(exact);
    }
    if (!isMutant(Mutant::ChangedTwice)) {
        pending_.erase(storage);
    }
}

at::Tensor ChangedWeights::tensorOf(const memory::Weight& weight) const {
    if (!changesAtLease(place_.tree->storages[weight.storage]) ||
        !changes_.contains(weight.storage)) {
        return held_.numbersOf(weight, weight.computeType);
    }
    at::Tensor values = held_.numbersOf(weight, DType::F32);
    place_.books.mathOf(*place_.tree).apply(values, factoredChanges(weight.storage));
    return values.to(scalarTypeOf(weight.computeType));
}

/// The numbers of a weight, all that its file has, in a tensor of their own. The run thread waits
/// until the file was read; compute waits for the copy.
at::Tensor ChangedWeights::fetched(const memory::Weight& weight, const StopToken& stop) {
    const StorageId storage = weight.storage;
    const memory::Storage& master = place_.tree->storages[storage];
    const DType type = *master.arrivalType;
    Device& device = *place_.device.device;
    const Shape& shape = weight.shape;
    const at::Tensor numbers =
        at::empty(weight.isTransposed ? Shape{shape[1], shape[0]} : shape,
                  at::TensorOptions(scalarTypeOf(type)).device(device.torchDevice()));
    place_.device.lendStaging(place_.books.ledger);
    const Bytes bytes = memory::arrivalBytes(*place_.tree, storage);
    ByteSource source = place_.books.masters.source(*place_.tree,
                                                    storage,
                                                    type,
                                                    place_.device.scratchFor(place_.books.ledger),
                                                    std::make_shared<Arrival>(),
                                                    stop);
    try {
        device.copyWaits(device.markCompute());  // what computed where the numbers come to
        device.copyIn(static_cast<std::byte*>(numbers.data_ptr()),
                      bytes,
                      std::move(source),
                      place_.tree->role + "." + weight.name);
        device.computeWaits(device.markCopy());
    } catch (...) {
        place_.device.drain();  // a copy that is queued writes to them
        throw;
    }
    return weight.isTransposed ? numbers.t() : numbers;
}

std::vector<FactoredChange> ChangedWeights::factoredChanges(StorageId storage) const {
    return factored(changes_.at(storage),
                    [&](WeightId factor) { return held_.viewOf(place_.tree->weights[factor]); });
}

}  // namespace lowtide::residency
