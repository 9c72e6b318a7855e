#include "plugin/residency/held_weights.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/element_conversion.hpp"
#include "plugin/residency/mutant.hpp"
#include "plugin/residency/scalar_type.hpp"

#include <ATen/ATen.h>

namespace lowtide::residency {

using memory::StorageId;

HeldWeights::HeldWeights(const GroupContext& context)
    : context_(context),
      addresses_(context.tree->storages.size(), nullptr),
      types_(context.tree->storages.size(), DType::F32) {
    for (const memory::Weight& weight : context.tree->weights) {
        const memory::Storage& storage = context.tree->storages[weight.storage];
        types_[weight.storage] = storage.deviceType.value_or(weight.computeType);
        const DType type = storage.scaleCount > 0 ? DType::F32 : uploadTypeOf(weight.storage);
        if (!canConvert(storage.fileType, type)) {
            throw Error(ErrorKind::Unsupported,
                        message("{}: the weight {} is {} in its file and cannot be used as {}",
                                context.tree->role,
                                weight.name,
                                nameOf(storage.fileType),
                                nameOf(type)),
                        message("use a checkpoint whose weights are F32, F16, BF16 or F8"));
        }
    }
}

void HeldWeights::put(StorageId storage, std::byte* address) {
    if (!addresses_[storage] || !isMutant(Mutant::BoundLate)) {
        addresses_[storage] = address ? address : mappedAddress(storage);
    }
    if (!address) {
        readInPlace(storage);
    }
}

void HeldWeights::remove(StorageId storage) {
    if (context_.layout->isInPlace) {
        context_.accounting.hostWeights.dontNeed(*context_.tree, storage);
    }
    addresses_[storage] = isMutant(Mutant::BoundLate) ? addresses_[storage] : nullptr;
}

DType HeldWeights::uploadTypeOf(StorageId storage) const {
    return context_.tree->storages[storage].uploadType.value_or(types_[storage]);
}

/// The plan counts on the map of a local file; the system may have no address space for it.
std::byte* HeldWeights::mappedAddress(StorageId storage) const {
    const std::byte* mapped = context_.accounting.hostWeights.mapped(*context_.tree, storage);
    if (!mapped) {
        throw Error(ErrorKind::OutOfMemory,
                    message("{}: the system has no address space to map the file of {}",
                            context_.tree->role,
                            context_.tree->storages[storage].key),
                    message("end other programs, or choose the policy leaf for this node"));
    }
    // ATen has no tensor over constant memory; the map is read-only, so a write ends the program
    // at once.
    return const_cast<std::byte*>(mapped);
}

void HeldWeights::readInPlace(StorageId storage) {
    HostWeightStore& hostWeights = context_.accounting.hostWeights;
    hostWeights.willNeed(*context_.tree, storage);
    if (!context_.tree->storages[storage].isKeptEncoded) {
        hostWeights.requireMappedFinite(*context_.tree, storage, addresses_[storage]);
    } else {
        hostWeights.requireMappedValid(*context_.tree, storage);
    }
    context_.accounting.traffic.addRead(context_.tree->deviceBytes(storage));
}

at::Tensor HeldWeights::viewOf(const memory::Weight& weight) const {
    return viewOf(weight, types_[weight.storage]);
}

at::Tensor HeldWeights::viewOf(const memory::Weight& weight, DType type) const {
    Device& device = *context_.device.device;
    std::byte* address = addresses_[weight.storage];
    const at::ScalarType elements = scalarTypeOf(type);
    return weight.isTransposed
               ? device.view(address, {weight.shape[1], weight.shape[0]}, elements).t()
               : device.view(address, weight.shape, elements);
}

at::Tensor HeldWeights::numbersOf(const memory::Weight& weight, DType type) const {
    const memory::Storage& storage = context_.tree->storages[weight.storage];
    Device& device = *context_.device.device;
    if (storage.isKeptEncoded) {
        const Shape& shape = weight.shape;
        const HeldBytes held = encodedBytes(weight.storage);
        return weight.isTransposed ? decoded(device, held, {shape[1], shape[0]}, type).t()
                                   : decoded(device, held, shape, type);
    }
    if (storage.scaleCount > 0) {
        const at::Tensor scales = device.view(
            addresses_[weight.storage] + storage.scaleOffset(), {storage.scaleCount}, at::kFloat);
        return dequantised(device, viewOf(weight), scales, type);
    }
    return viewOf(weight).to(scalarTypeOf(type));
}

HeldBytes HeldWeights::encodedBytes(StorageId storage) const {
    if (context_.layout->isInPlace) {
        return context_.accounting.hostWeights.mappedEncoded(*context_.tree, storage);
    }
    const memory::Storage& stored = context_.tree->storages[storage];
    std::byte* address = addresses_[storage];
    HeldBytes held{
        .tensor = &*stored.encoded, .elementCount = stored.elementCount, .blocks = address};
    for (size_t i = 0; i < stored.encoded->companions.size(); ++i) {
        held.companions.push_back(address + stored.heldOffset(i));
    }
    return held;
}

}  // namespace lowtide::residency
