#pragma once
// What changed: the weights of one component that adapters change.

#include "plugin/base/stop_token.hpp"
#include "plugin/residency/held_weights.hpp"

#include <map>
#include <set>
#include <vector>

namespace lowtide::residency {

/// Which weights did not get their changes yet, and how they get them: in f32, in the order of the
/// tree, rounded once. Run thread only.
class ChangedWeights {
public:
    /// Both must outlive it.
    ChangedWeights(const GroupPlace& place, const HeldWeights& held);

    /// Whether a storage comes wider than it stays, and not with its group: only when it is
    /// changed.
    [[nodiscard]] bool comesWhenChanged(memory::StorageId storage) const {
        return comingWhenChanged_.contains(storage);
    }

    /// The storage comes without its changes.
    void noteComing(memory::StorageId storage);

    void noteGone(memory::StorageId storage) { pending_.erase(storage); }

    /// Whether the storage came, and did not get its changes yet.
    [[nodiscard]] bool isPending(memory::StorageId storage) const {
        return pending_.contains(storage);
    }

    [[nodiscard]] bool areAllDone() const { return pending_.empty(); }

    /// A storage that is pending gets its changes. What fails on its way (no memory for the sum,
    /// say) may have changed a part of it.
    void change(memory::StorageId storage, const StopToken& stop);

    /// The weight as compute reads it. What lies encoded or in eight bits gets its changes here, in
    /// f32 and with every lease.
    [[nodiscard]] at::Tensor tensorOf(const memory::Weight& weight) const;

private:
    [[nodiscard]] at::Tensor fetched(const memory::Weight& weight, const StopToken& stop);
    [[nodiscard]] std::vector<FactoredChange> factoredChanges(memory::StorageId storage) const;

    const GroupPlace& place_;
    const HeldWeights& held_;
    std::map<memory::StorageId, std::vector<const memory::WeightChange*>> changes_;
    std::set<memory::StorageId> comingWhenChanged_;
    std::set<memory::StorageId> pending_;
};

}  // namespace lowtide::residency
