#include "plugin/executor/recovery.hpp"

#include "plugin/executor/run_plan.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

using memory::kTighterPolicies;

/// Place in kTighterPolicies: of the policy itself, else of the first with its name.
size_t tighterPlace(const memory::Policy& policy) {
    for (size_t place = 0; place < kTighterPolicies.size(); ++place) {
        const memory::Policy known = memory::parsePolicy(kTighterPolicies[place]);
        if (known.name == policy.name &&
            (known.stream == policy.stream || policy.name == "model")) {
            return place;
        }
    }
    return policy.name == "block" ? 3 : 0;
}

}  // namespace

std::optional<std::string> Recovery::next(memory::NodeIndex node) {
    if (node_ != node) {
        node_ = node;
        rung_ = 0;
    }
    if (rung_++ == 0) {
        if (std::optional<std::string> done = freeMemory()) {
            return done;
        }
    }
    return tighten(node);
}

std::optional<std::string> Recovery::freeMemory() {
    const Bytes results = cache_.clear();
    const Bytes weights = engine_.offload("all", false);
    for (const memory::PlanDevice& device : request_.devices) {
        engine_.collect(device.spec);
    }
    if (results + weights == 0) {
        return std::nullopt;
    }
    return formatBytes(results) + " of kept results were dropped and " + formatBytes(weights) +
           " of weights left the devices";
}

std::optional<std::string> Recovery::tighten(memory::NodeIndex node) {
    memory::NodeWork& work = request_.nodes[node];
    const std::optional<memory::DeviceSpec> device = work.policy.device;
    const memory::After after = work.policy.after;
    for (size_t place = tighterPlace(work.policy) + 1;
         !work.components.empty() && place < kTighterPolicies.size();
         ++place) {
        work.policy = memory::parsePolicy(kTighterPolicies[place]);
        work.policy.device = device;
        work.policy.after = after == memory::After::Keep ? memory::After::Evict : after;
        request_.kept = engine_.keptComponents();
        auto decided = decidePlan(request_);
        if (auto* plan = std::get_if<memory::Plan>(&decided)) {
            plan_ = std::make_shared<const memory::Plan>(std::move(*plan));
            engine_.replan(plan_);
            return std::string("its memory policy is now ") + kTighterPolicies[place];
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::executor
