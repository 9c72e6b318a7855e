#pragma once

#include "plugin/residency/bookkeeping.hpp"
#include "plugin/residency/open_devices.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lowtide::residency {

/// One component on one device: where each storage lies there, whether it is there, and which
/// events order its copies and its readers. Run thread only.
class ComponentState {
public:
    /// The tree's masters are open. Error{Unsupported} for weights that this version cannot bring
    /// to a device.
    ComponentState(std::shared_ptr<const memory::ComponentTree> tree,
                   DeviceState& device,
                   Bookkeeping& books);
    /// The component is off the device.
    ~ComponentState();
    ComponentState(const ComponentState&) = delete;
    ComponentState& operator=(const ComponentState&) = delete;

    [[nodiscard]] const memory::ComponentTree& tree() const { return *tree_; }

    [[nodiscard]] DeviceState& device() const { return device_; }

    /// Bytes of its slots; what is used in place needs none.
    [[nodiscard]] Bytes slotBytes() const { return slotBytes_; }

    /// What it takes on its device when it is there, slots and masters used in place.
    [[nodiscard]] Bytes deviceBytes() const { return slotBytes_ + inPlaceBytes_; }

    [[nodiscard]] bool hasPlace() const { return region_ != nullptr; }

    /// Its slots begin at `region`, in an arena of somebody else.
    void placeAt(std::byte* region) { region_ = region; }

    /// Its slots fill an arena of its own, which lives as long as the component.
    /// Error{OutOfMemory}.
    void placeAlone();

    [[nodiscard]] bool isOnDevice() const { return arrival_ != nullptr; }

    /// Enqueues the copies of every leaf that is not gathered, in the tree's order.
    void bring(const StopToken& stop, const std::string& node);
    /// Off the device: later copies wait for its last use, copies still queued are given up.
    void evict(const std::string& node);
    /// Copies still queued are given up; the component is incomplete from now on.
    void abandon();
    /// Whether every byte has arrived. Copies are not pending.
    [[nodiscard]] bool isComplete() const;
    /// Forgets the events of an arrival that is complete and of uses that are over.
    void settle();

    /// Compute waits for the leaf; rethrows what went wrong in its copies.
    void waitFor(memory::LeafId leaf);
    /// Views of the leaf's weights. It was waited for.
    [[nodiscard]] std::vector<at::Tensor> tensors(memory::LeafId leaf) const;
    /// The leaf's pages that are used in place are brought in; changes time only.
    void hint(memory::LeafId leaf) const noexcept;

    void addLease() { ++leases_; }

    /// The last use so far is what compute has been given until now.
    void dropLease();

    [[nodiscard]] bool isLeased() const { return leases_ > 0; }

private:
    /// One storage on the device.
    struct Slot {
        DType type = DType::F32;  ///< compute type
        Bytes offset = 0;         ///< in the region
        Bytes bytes = 0;          ///< without alignment; 0: only gathered, never on the device
        const std::byte* inPlace = nullptr;  ///< mapped master that is used as it is

        bool hasSlot() const { return bytes > 0 && !inPlace; }
    };

    void makeSlots();
    void requireUsable() const;
    /// Whether copies were enqueued for the leaf.
    bool bringLeaf(memory::LeafId leaf, std::vector<bool>& isBrought, const StopToken& stop);
    void copyStorage(memory::StorageId storage, const StopToken& stop);
    void count(int direction) const;

    std::shared_ptr<const memory::ComponentTree> tree_;
    DeviceState& device_;
    Bookkeeping& books_;
    std::vector<Slot> slots_;
    Bytes slotBytes_ = 0;
    Bytes inPlaceBytes_ = 0;
    std::unique_ptr<CountedArena> ownArena_;
    std::byte* region_ = nullptr;
    std::shared_ptr<Arrival> arrival_;  ///< while on the device or on its way
    std::vector<EventRef> ready_;       ///< per leaf; null once waited for
    EventRef arrived_;                  ///< behind the last copy; null when there was none
    EventRef lastUse_;
    int64_t leases_ = 0;
};

}  // namespace lowtide::residency
