#pragma once
// Copies the groups of one component to and from one device.

#include "plugin/residency/adapted_weights.hpp"
#include "plugin/residency/held_weights.hpp"
#include "plugin/residency/pinned_copies.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lowtide::residency {

/// The groups of one component on one device: copies in, waits, evictions, in the order of events
/// both ways. Decides nothing. Run thread only.
class GroupSlots {
public:
    /// No group is there when it is destroyed.
    explicit GroupSlots(GroupContext context);
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
    /// waited for.
    void applyDeltas(memory::LeafId leaf, const StopToken& stop);
    /// Whether every byte has arrived.
    [[nodiscard]] bool isComplete(memory::GroupId group) const;

    [[nodiscard]] bool isThere(memory::GroupId group) const {
        return groups_[group].upload != nullptr;
    }

    /// Whether all that the plan expects is there, and none of it has to be waited for or changed.
    [[nodiscard]] bool isSettled() const;
    /// What compute has been given until now is the group's last use. Where a device cannot note
    /// it, the device is lost.
    void noteUse(memory::GroupId group) noexcept;
    /// The same of every group that is there.
    void noteUses();
    /// Forgets the uploads of a component that is complete.
    void settle();

    /// The leaf's weights in the compute types of `tree`, which has the bytes of ours: views where
    /// they lie in these types. Its groups were waited for. Error{Corrupt} when a file that is read
    /// in place was cut off.
    [[nodiscard]] std::vector<at::Tensor> tensors(const memory::ComponentTree& tree,
                                                  memory::LeafId leaf) const;

private:
    struct GroupState {
        std::shared_ptr<Upload> upload;  ///< while there or on its way
        EventRef ready;                  ///< null once waited for
        EventRef lastUse;
        std::byte* address = nullptr;  ///< of its slot; null where weights are used in place
    };

    /// A copy of a group, and where its bytes are pinned.
    struct PlannedCopy {
        CopySpan span;
        PinnedCopies::HostCopyId hostCopy = 0;
    };

    void planCopies();
    [[nodiscard]] StorageTransfer transferOf(memory::StorageId storage) const;
    [[nodiscard]] std::vector<PinnedCopies::HostCopy> streamingCopies() const;
    void copy(memory::GroupId group, const PlannedCopy& planned, const StopToken& stop);
    [[nodiscard]] ByteSource sourceOf(const CopySpan& span,
                                      const std::shared_ptr<Upload>& upload,
                                      const StopToken& stop);
    void count(memory::GroupId group, int direction) const;

    GroupContext context_;
    HeldWeights held_;
    AdaptedWeights changed_;
    std::shared_ptr<PinnedCopies> pins_;
    std::vector<GroupState> groups_;
    std::vector<std::vector<PlannedCopy>> copies_;  ///< per group; none where weights lie in place
};

}  // namespace lowtide::residency
