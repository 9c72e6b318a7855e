#pragma once

#include "plugin/memory/plan.hpp"
#include "plugin/memory/policy.hpp"

#include <array>

namespace lowtide::memory {

/// The ladder of policies, from the one that holds most to the one that holds least.
inline constexpr std::array kTighterPolicies = {
    "none", "auto", "model", "block+stream", "leaf+stream", "leaf", "sequential"};

/// The rung on which a node stands: that of the loosest policy of its components. A policy that is
/// no rung stands on the first one of its name.
[[nodiscard]] size_t rungOf(const NodeWork& node);

/// `policy`, and those of its components, at least as tight as a rung: name, streaming and blocks
/// become the rung's where they are looser, own budgets go, `keep` becomes `evict`. Where each
/// computes, what is dropped and what may be pinned stays, so the bits do too.
[[nodiscard]] Policy tightened(Policy policy, size_t rung);

/// `policy`, and those of its components, with `auto` where components are held whole.
[[nodiscard]] Policy relaxedToAuto(Policy policy);

}  // namespace lowtide::memory
