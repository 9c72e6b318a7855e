#pragma once
// Where a run does not fit: what earlier runs left goes, tighter policies are tried, and what helps
// is reported.

#include "plugin/memory/plan_demand.hpp"
#include "plugin/memory/policy.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::memory {

/// The ladder of policies, from the one that holds most to the one that holds least.
inline constexpr std::array kTighterPolicies = {
    "none", "auto", "model", "block+stream", "leaf+stream", "leaf", "sequential"};

/// The rung on which a node stands: that of the loosest policy of its components. A policy that is
/// no rung stands on the first one of its name.
[[nodiscard]] size_t rungOf(const NodeWork& node);

/// `policy`, and those of its components, at least as tight as a rung: name, streaming and blocks
/// become the rung's where they are looser, own budgets go, `keep` becomes `evict`. Where each
/// computes, what is dropped and what may be pinned remain, so the bits do too.
[[nodiscard]] Policy tightened(Policy policy, size_t rung);

/// `policy`, and those of its components, with `auto` where components are held whole.
[[nodiscard]] Policy relaxedToAuto(Policy policy);

/// A request from whose devices goes what earlier runs left there, one kind after the other: what
/// is pinned on the host, what is droppable, components; of pins and components at first those that
/// the request does not use.
class PlanClearing {
public:
    explicit PlanClearing(PlanRequest request);

    /// Clears the next kind from this device; false: nothing is left that may go.
    bool clearMore(const std::string& device);
    void clearAll();

    [[nodiscard]] const PlanRequest& request() const { return request_; }

    /// Writes down what has gone.
    void notify(Plan& plan) const;

private:
    bool clearKept(const std::string& device, bool evenUsed);
    bool clearPinned(const std::string& device, bool evenUsed);

    PlanRequest request_;
    bool dropsHeld_ = false;
    std::vector<KeptComponent> leaving_;
    std::vector<PinnedComponent> unpinned_;
};

/// The first stage that does not fit into a device, with what it needs; nothing: all of it fits.
[[nodiscard]] std::optional<Infeasible> firstTooLarge(const Demand& demand);

/// Adds the smallest change with which the run fits: of the node's policy where one helps.
void findCheapestFix(const PlanRequest& request, Infeasible& infeasible);

}  // namespace lowtide::memory
