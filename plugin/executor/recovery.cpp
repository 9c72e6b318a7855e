#include "plugin/executor/recovery.hpp"

#include "plugin/executor/ledger_charge.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/executor/unpin_idle.hpp"
#include "plugin/memory/ladder.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::executor {

Recovery::Recovery(memory::PlanRequest request, memory::Engine& engine, ResultCache& cache)
    : request_(std::move(request)),
      engine_(engine),
      cache_(cache),
      devicesAtBegin_(request_.devices),
      keptAtBegin_(request_.kept),
      pinnedAtBegin_(std::exchange(request_.pinned, {})),
      cachedAtBegin_(cachedNow()),
      cachedLeft_(cachedAtBegin_) {}

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
    cachedLeft_ = std::min(cachedLeft_, cachedNow());
    const Bytes weights = engine_.offload("all", false);
    const Bytes unpinned = unpinIdle(engine_).bytes;
    for (const memory::PlanDevice& device : request_.devices) {
        engine_.collect(device.spec);
    }
    if (results + weights + unpinned == 0) {
        return std::nullopt;
    }
    return formatBytes(results) + " of kept results were dropped, " + formatBytes(weights) +
           " of weights left the devices, and " + formatBytes(unpinned) +
           " of pinned memory was given back";
}

Bytes Recovery::cachedNow() {
    return engine_.ledger().bytesOn(kHostDevice, memory::Tag::Cache);
}

/// What was on the devices when the run began, without the results and components that have gone
/// since. What the run itself brought is in the plan by other names.
void Recovery::renewHeld() {
    request_.kept = engine_.keptComponents();
    const auto isLeft = [&](const memory::KeptComponent& kept) {
        return std::any_of(request_.kept.begin(), request_.kept.end(), [&](const auto& now) {
            return now.tree == kept.tree && now.device == kept.device;
        });
    };
    request_.devices = devicesAtBegin_;
    for (memory::PlanDevice& device : request_.devices) {
        const std::string id = device.spec.id();
        device.held -= id == kHostDevice ? cachedAtBegin_ - cachedLeft_ : 0;
        device.droppable = 0;  // the first rung dropped it
        for (const memory::KeptComponent& kept : keptAtBegin_) {
            device.held -= kept.device == id && !isLeft(kept) ? kept.bytes : 0;
        }
        for (const memory::PinnedComponent& pinned : pinnedAtBegin_) {  // it went, or a stay has it
            device.held -= id == kHostDevice ? pinned.bytes : 0;
        }
    }
}

std::optional<std::string> Recovery::tighten(memory::NodeIndex node) {
    memory::NodeWork& work = request_.nodes[node];
    if (work.components.empty()) {
        return std::nullopt;
    }
    renewHeld();
    for (size_t rung = memory::rungOf(work) + 1; rung < memory::kTighterPolicies.size(); ++rung) {
        work.policy = memory::tightened(std::move(work.policy), rung);
        auto decided = decidePlan(request_);
        if (auto* plan = std::get_if<memory::Plan>(&decided)) {
            plan_ = std::make_shared<const memory::Plan>(std::move(*plan));
            engine_.replan(plan_);
            return std::string("its memory policy is now ") + memory::kTighterPolicies[rung];
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::executor
