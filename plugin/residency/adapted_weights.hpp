#pragma once
// What changed: the weights of one component that adapters change.

#include "plugin/base/stop_token.hpp"
#include "plugin/residency/held_weights.hpp"

#include <map>
#include <set>
#include <vector>

namespace lowtide::residency {

/// Which weights did not get their deltas yet, and how they get them: in f32, in the order of the
/// tree, rounded once. Run thread only.
class AdaptedWeights {
public:
    /// Both must outlive it.
    AdaptedWeights(const GroupContext& context, const HeldWeights& held);

    /// Whether a storage comes wider than it is kept, and not with its group: only when it is
    /// changed.
    [[nodiscard]] bool comesWhenAdapted(memory::StorageId storage) const {
        return comingWhenAdapted_.contains(storage);
    }

    /// The storage comes without its deltas.
    void noteComing(memory::StorageId storage);

    void noteGone(memory::StorageId storage) { pending_.erase(storage); }

    /// Whether the storage came, and did not get its deltas yet.
    [[nodiscard]] bool isPending(memory::StorageId storage) const {
        return pending_.contains(storage);
    }

    [[nodiscard]] bool areAllDone() const { return pending_.empty(); }

    /// A storage that is pending gets its deltas. What fails on its way (no memory for the sum,
    /// for example) may have changed a part of it.
    void applyDeltas(memory::StorageId storage, const StopToken& stop);

    /// The weight as compute reads it. What lies encoded or in eight bits gets its deltas here, in
    /// f32 and with every lease.
    [[nodiscard]] at::Tensor tensorOf(const memory::Weight& weight) const;

private:
    [[nodiscard]] at::Tensor fetched(const memory::Weight& weight, const StopToken& stop);
    [[nodiscard]] std::vector<FactoredDelta> factoredDeltas(memory::StorageId storage) const;

    const GroupContext& context_;
    const HeldWeights& held_;
    std::map<memory::StorageId, std::vector<const memory::WeightDelta*>> deltas_;
    std::set<memory::StorageId> comingWhenAdapted_;
    std::set<memory::StorageId> pending_;
};

}  // namespace lowtide::residency
