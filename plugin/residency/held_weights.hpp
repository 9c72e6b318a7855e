#pragma once
// What lies where: the weights of one component on one device.

#include "plugin/memory/layout.hpp"
#include "plugin/residency/accounting.hpp"
#include "plugin/residency/open_devices.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace lowtide::memory {
struct Weight;
}

namespace lowtide::residency {

/// Whose weights, where, how they lie there.
struct GroupContext {
    std::shared_ptr<const memory::ComponentTree> tree;
    std::shared_ptr<const memory::Layout> layout;
    DeviceState& device;
    Accounting& accounting;
    Bytes pinned = 0;  ///< host bytes to pin for what streams
};

/// Storages by their addresses, and weights as tensors over them. Waits for nothing. Run thread
/// only.
class HeldWeights {
public:
    /// `context` must outlive it. Error{Unsupported} for weights that this version cannot bring to
    /// a device.
    explicit HeldWeights(const GroupContext& context);

    /// The storage lies at `address` from now on; nullptr: where its file is mapped, which is read
    /// and checked here. Error{OutOfMemory} where the system has no address space for the map.
    void put(memory::StorageId storage, std::byte* address);
    void remove(memory::StorageId storage);

    /// Of what the storage holds on the device.
    [[nodiscard]] DType typeOf(memory::StorageId storage) const { return types_[storage]; }

    /// In which it comes to the device.
    [[nodiscard]] DType uploadTypeOf(memory::StorageId storage) const;

    /// A weight where it lies, in the type of its storage there, or in the one in which it came.
    [[nodiscard]] at::Tensor viewOf(const memory::Weight& weight) const;
    [[nodiscard]] at::Tensor viewOf(const memory::Weight& weight, DType type) const;
    /// Its numbers in another type: a view where they lie in it, else a tensor of its own. Scales
    /// are powers of two: nothing is rounded by them.
    [[nodiscard]] at::Tensor numbersOf(const memory::Weight& weight, DType type) const;

private:
    [[nodiscard]] std::byte* mappedAddress(memory::StorageId storage) const;
    void readInPlace(memory::StorageId storage);
    [[nodiscard]] HeldBytes encodedBytes(memory::StorageId storage) const;

    const GroupContext& context_;
    std::vector<std::byte*> addresses_;  ///< per storage, while it is there
    std::vector<DType> types_;           ///< per storage: on the device
};

}  // namespace lowtide::residency
