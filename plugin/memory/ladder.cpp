#include "plugin/memory/ladder.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

size_t rungOfPolicy(const Policy& policy) {
    size_t first = kTighterPolicies.size();
    for (size_t rung = 0; rung < kTighterPolicies.size(); ++rung) {
        const Policy known = parsePolicy(kTighterPolicies[rung]);
        if (known.name != policy.name) {
            continue;
        }
        if (known.stream == policy.stream) {
            return rung;
        }
        first = std::min(first, rung);
    }
    return first < kTighterPolicies.size() ? first : 0;
}

void give(Policy& policy, const char* rung) {
    const Policy given = parsePolicy(rung);
    policy.name = given.name;
    policy.stream = given.stream;
    policy.blocksPerGroup = given.blocksPerGroup;
}

void relaxToAuto(Policy& policy) {
    if (policy.name == "none" || (policy.name == "model" && !policy.stream)) {
        give(policy, "auto");
        policy.budget.reset();
    }
}

void tighten(Policy& policy, size_t rung) {
    if (rungOfPolicy(policy) < rung) {
        give(policy, kTighterPolicies[rung]);
    }
    policy.budget.reset();
    policy.after = policy.after == After::Keep ? After::Evict : policy.after;
    const PlannerType* planner = findPlanner(policy.name);
    if (planner && !planner->mayPin) {
        policy.pinCap.reset();
    }
}

}  // namespace

size_t rungOf(const NodeWork& node) {
    size_t rung = node.components.empty() ? rungOfPolicy(node.policy) : kTighterPolicies.size();
    for (const auto& tree : node.components) {
        rung = std::min(rung, rungOfPolicy(node.policy.forComponent(tree->role)));
    }
    return rung;
}

Policy tightened(Policy policy, size_t rung) {
    tighten(policy, rung);
    for (auto& [role, entry] : policy.components) {
        tighten(entry, rung);
    }
    return policy;
}

Policy relaxedToAuto(Policy policy) {
    relaxToAuto(policy);
    for (auto& [role, entry] : policy.components) {
        relaxToAuto(entry);
    }
    return policy;
}

}  // namespace lowtide::memory
