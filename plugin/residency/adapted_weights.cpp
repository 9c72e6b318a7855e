#include "plugin/residency/adapted_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/adapted_tree.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/mutant.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::residency {

using memory::StorageId;
using memory::WeightId;

AdaptedWeights::AdaptedWeights(const GroupContext& context, const HeldWeights& held)
    : context_(context), held_(held) {
    LOWTIDE_ASSERT(context_.tree->deltas.empty() || !context_.layout->isInPlace);
    for (const memory::WeightDelta& delta : context_.tree->deltas) {
        deltas_[context_.tree->weights[delta.weight].storage].push_back(&delta);
    }
    for (const memory::Group& group : context_.layout->groups) {
        for (const StorageId storage : group.storages) {
            if (group.isResident && deltas_.contains(storage) &&
                memory::uploadBytes(*context_.tree, storage) >
                    context_.tree->deviceBytes(storage)) {
                comingWhenAdapted_.insert(storage);
            }
        }
    }
}

void AdaptedWeights::noteComing(StorageId storage) {
    if (!deltas_.contains(storage) || deltasAtLease(context_.tree->storages[storage])) {
        return;
    }
    pending_.insert(storage);
    if (comesWhenAdapted(storage)) {  // planned, and counted, with its group
        context_.accounting.traffic.addCopy(memory::uploadBytes(*context_.tree, storage),
                                            context_.tree->storages[storage].readBytes());
    }
}

void AdaptedWeights::applyDeltas(StorageId storage, const StopToken& stop) {
    const std::vector<FactoredDelta> deltas = factoredDeltas(storage);
    const memory::Weight& weight = context_.tree->weights[deltas.front().delta->weight];
    const DType uploaded = held_.uploadTypeOf(storage);
    const at::Tensor target = held_.viewOf(weight);
    const bool isExact = uploaded == DType::F32 && held_.typeOf(storage) == DType::F32;
    at::Tensor exact = isExact ? target
                       : comesWhenAdapted(storage)
                           ? fetched(weight, stop).to(at::kFloat)
                           : held_.viewOf(weight, uploaded).to(at::kFloat, false, true);
    context_.accounting.mathOf(*context_.tree).apply(exact, deltas);
    if (!isExact) {
        target.copy_(exact);
    }
    if (!isMutant(Mutant::AdaptedTwice)) {
        pending_.erase(storage);
    }
}

at::Tensor AdaptedWeights::tensorOf(const memory::Weight& weight) const {
    if (!deltasAtLease(context_.tree->storages[weight.storage]) ||
        !deltas_.contains(weight.storage)) {
        return held_.numbersOf(weight, context_.tree->leasedType(weight));
    }
    at::Tensor values = held_.numbersOf(weight, DType::F32);
    context_.accounting.mathOf(*context_.tree).apply(values, factoredDeltas(weight.storage));
    return values.to(scalarTypeOf(weight.computeType));
}

/// The numbers of a weight, all that its file has, in a tensor of their own. The run thread waits
/// until the file was read; compute waits for the copy.
at::Tensor AdaptedWeights::fetched(const memory::Weight& weight, const StopToken& stop) {
    const StorageId storage = weight.storage;
    const memory::Storage& hostWeight = context_.tree->storages[storage];
    const DType type = *hostWeight.uploadType;
    Device& device = *context_.device.device;
    const Shape& shape = weight.shape;
    const at::Tensor numbers =
        at::empty(weight.isTransposed ? Shape{shape[1], shape[0]} : shape,
                  at::TensorOptions(scalarTypeOf(type)).device(device.torchDevice()));
    context_.device.lendStaging(context_.accounting.ledger);
    const Bytes bytes = memory::uploadBytes(*context_.tree, storage);
    ByteSource source = context_.accounting.hostWeights.source(
        *context_.tree,
        storage,
        type,
        context_.device.scratchFor(context_.accounting.ledger),
        std::make_shared<Upload>(),
        stop);
    try {
        device.copyWaits(device.markCompute());  // what computed where the numbers come to
        device.copyIn(static_cast<std::byte*>(numbers.data_ptr()),
                      bytes,
                      std::move(source),
                      context_.tree->role + "." + weight.name);
        device.computeWaits(device.markCopy());
    } catch (...) {
        context_.device.drain();  // a copy that is queued writes to them
        throw;
    }
    return weight.isTransposed ? numbers.t() : numbers;
}

std::vector<FactoredDelta> AdaptedWeights::factoredDeltas(StorageId storage) const {
    return factored(deltas_.at(storage),
                    [&](WeightId factor) { return held_.viewOf(context_.tree->weights[factor]); });
}

}  // namespace lowtide::residency
