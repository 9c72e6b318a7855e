#pragma once

#include "plugin/memory/layout.hpp"
#include "plugin/residency/bookkeeping.hpp"
#include "plugin/residency/open_devices.hpp"
#include "plugin/residency/pinned_masters.hpp"
#include "plugin/residency/weight_source.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::memory {
struct Weight;
}

namespace lowtide::residency {

/// Whose weights, where, how they lie there.
struct GroupPlace {
    std::shared_ptr<const memory::ComponentTree> tree;
    std::shared_ptr<const memory::Layout> layout;
    DeviceState& device;
    Bookkeeping& books;
    Bytes pinned = 0;  ///< host bytes to pin for what streams
};

/// The groups of one component on one device: copies in, waits, views, evictions, in the order of
/// events both ways. Decides nothing. Run thread only.
class GroupSlots {
public:
    /// No group is there when it is destroyed.
    explicit GroupSlots(GroupPlace place);
    ~GroupSlots() = default;
    GroupSlots(const GroupSlots&) = delete;
    GroupSlots& operator=(const GroupSlots&) = delete;

    /// Enqueues the copies of a group to `address` (nullptr where weights are used in place).
    void bring(memory::GroupId group,
               std::byte* address,
               const StopToken& stop,
               const std::string& node);
    /// Later copies wait for the group's last use; copies that are still queued are given up.
    void evict(memory::GroupId group, const std::string& node);
    /// Copies still queued are given up; the group is incomplete from now on.
    void abandon(memory::GroupId group);
    /// Compute waits for the group; rethrows what went wrong in its copies. Error{Internal} where
    /// it is not whole for what failed before.
    void waitFor(memory::GroupId group);
    /// The leaf's weights get the changes that they did not get since they came; its groups were
    /// waited for. In f32 from what arrived, in the order of the tree, rounded once.
    void applyChanges(memory::LeafId leaf, const StopToken& stop);
    /// Whether every byte has arrived.
    [[nodiscard]] bool isComplete(memory::GroupId group) const;

    [[nodiscard]] bool isThere(memory::GroupId group) const {
        return groups_[group].arrival != nullptr;
    }

    /// Whether all that the plan expects is there, and none of it has to be waited for or changed.
    [[nodiscard]] bool isSettled() const;
    /// What compute has been given until now is the group's last use. Where a device cannot note
    /// it, the device is lost.
    void noteUse(memory::GroupId group) noexcept;
    /// The same of every group that is there.
    void noteUses();
    /// Forgets the arrivals of a component that is complete.
    void settle();

    /// The leaf's weights in the compute types of `tree`, which has the bytes of ours: views where
    /// they lie in these types. Its groups were waited for. Error{Corrupt} when a file that is read
    /// in place was cut off.
    [[nodiscard]] std::vector<at::Tensor> tensors(const memory::ComponentTree& tree,
                                                  memory::LeafId leaf) const;

private:
    struct GroupState {
        std::shared_ptr<Arrival> arrival;  ///< while there or on its way
        EventRef ready;                    ///< null once waited for
        EventRef lastUse;
        std::byte* address = nullptr;  ///< of its slot; null where weights are used in place
    };

    /// A copy of a group, and where its bytes are pinned.
    struct Travel {
        CopySpan span;
        PinnedMasters::MasterId master = 0;
    };

    /// What becomes of a storage after it has arrived.
    struct StorageChanges {
        std::vector<const memory::WeightChange*> changes;  ///< all of one weight
        bool isPending = false;                            ///< it came, and did not get them yet
        /// It comes wider than it stays, and not with its group: only when it gets them.
        bool comesAtLease = false;
    };

    void requireUsable() const;
    void planTravels();
    [[nodiscard]] StorageCrossing crossingOf(memory::StorageId storage) const;
    [[nodiscard]] std::vector<PinnedMasters::Master> streamingMasters() const;
    [[nodiscard]] std::byte* mappedAddress(memory::StorageId storage) const;
    void noteComing(memory::GroupId group);
    void readInPlace(memory::GroupId group);
    void copy(memory::GroupId group, const Travel& travel, const StopToken& stop);
    [[nodiscard]] ByteSource sourceOf(const CopySpan& span,
                                      const std::shared_ptr<Arrival>& arrival,
                                      const StopToken& stop);
    void collectChanges();
    void changeOrDrop(memory::LeafId leaf, memory::StorageId storage, const StopToken& stop);
    void change(memory::StorageId storage, const StopToken& stop);
    [[nodiscard]] at::Tensor fetched(const memory::Weight& weight, const StopToken& stop);
    /// A weight where it lies, in the type of its storage there, or in the one in which it came.
    [[nodiscard]] at::Tensor viewOf(const memory::Weight& weight) const;
    [[nodiscard]] at::Tensor viewOf(const memory::Weight& weight, DType type) const;
    [[nodiscard]] at::Tensor tensorOf(const memory::Weight& weight) const;
    [[nodiscard]] HeldBytes heldOf(memory::StorageId storage) const;
    [[nodiscard]] at::Tensor decoded(const memory::Weight& weight, DType type) const;
    [[nodiscard]] std::vector<FactoredChange> factoredChanges(memory::StorageId storage) const;
    void count(memory::GroupId group, int direction) const;

    GroupPlace place_;
    std::shared_ptr<PinnedMasters> pins_;
    std::vector<GroupState> groups_;
    std::vector<std::vector<Travel>> travels_;  ///< per group; none where weights are used in place
    std::vector<std::byte*> addressOf_;         ///< per storage, while it is there
    std::vector<DType> typeOf_;                 ///< per storage: on the device
    std::map<memory::StorageId, StorageChanges> changes_;
    size_t pendingChanges_ = 0;
};

}  // namespace lowtide::residency
