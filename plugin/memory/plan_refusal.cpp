#include "plugin/memory/plan_refusal.hpp"

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/plan_layouts.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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

PlanClearing::PlanClearing(PlanRequest request) : request_(std::move(request)) {}

bool PlanClearing::clearMore(const std::string& device) {
    if (clearPinned(device, false) || clearPinned(device, true)) {
        return true;
    }
    for (PlanDevice& own : request_.devices) {
        if (own.spec.id() == device && own.droppable > 0) {
            own.held -= std::exchange(own.droppable, 0);
            dropsHeld_ = true;
            return true;
        }
    }
    return clearKept(device, false) || clearKept(device, true);
}

void PlanClearing::clearAll() {
    for (const PlanDevice& device : request_.devices) {
        while (clearMore(device.spec.id())) {
        }
    }
}

void PlanClearing::notify(Plan& plan) const {
    plan.dropsHeld = dropsHeld_;
    plan.leaving = leaving_;
    plan.unpinned.insert(plan.unpinned.end(), unpinned_.begin(), unpinned_.end());
}

bool PlanClearing::clearPinned(const std::string& device, bool evenUsed) {
    Bytes cleared = 0;
    std::erase_if(request_.pinned, [&](const PinnedComponent& pinned) {
        const bool goes =
            device == "cpu" && (evenUsed || !usesOn(request_, pinned.tree, pinned.device));
        if (goes) {
            cleared += pinned.bytes;
            unpinned_.push_back(pinned);
        }
        return goes;
    });
    for (PlanDevice& own : request_.devices) {
        own.held -= own.spec.id() == device ? cleared : 0;
    }
    return cleared > 0;
}

bool PlanClearing::clearKept(const std::string& device, bool evenUsed) {
    const size_t before = leaving_.size();
    std::erase_if(request_.kept, [&](const KeptComponent& kept) {
        const bool goes =
            kept.device == device && (evenUsed || !usesOn(request_, kept.tree, kept.device));
        if (goes) {
            leaving_.push_back(kept);
        }
        return goes;
    });
    for (PlanDevice& own : request_.devices) {
        for (size_t i = before; i < leaving_.size() && own.spec.id() == device; ++i) {
            own.held -= leaving_[i].bytes;
        }
    }
    return leaving_.size() > before;
}

namespace {

Message reasonOf(const StageBytes& bytes, const DevicePlan& device) {
    const std::string weights = formatBytes(bytes.weights);
    const std::string activations = formatBytes(bytes.activations + bytes.workspace);
    const std::string others = formatBytes(bytes.wires + bytes.staging + bytes.held);
    const Message needs =
        bytes.slack > 0
            ? message(
                  "{} of weights, {} of activations and {} of other values, with {} for the "
                  "allocator,",
                  weights,
                  activations,
                  others,
                  formatBytes(bytes.slack))
            : message("{} of weights, {} of activations and {} of other values",
                      weights,
                      activations,
                      others);
    const Message where = device.card.empty()
                              ? Message(bytes.device)
                              : message("{} (planned for {})", bytes.device, device.card);
    return message("{} do not fit into {} on {}", needs, formatBytes(device.capacity), where);
}

/// What the node of `found` needs on a device with the smallest layouts.
Bytes smallestOf(const PlanRequest& request, size_t found, const std::string& device) {
    const Sizes sizes = Sizer(request, intervalsOf(request, {})).smallest();
    const std::vector<StageBytes>& bytes = sizes.demand.stages[found].bytes;
    return std::find_if(bytes.begin(),
                        bytes.end(),
                        [&](const StageBytes& each) { return each.device == device; })
        ->space();
}

/// The mildest value of the node's parameter with which it fits under its own policy, or else under
/// the tightest one; as a sentence, empty where none helps. Changes the request.
Message smallerFix(PlanRequest& request, size_t found, const Policy& own, Infeasible& infeasible) {
    NodeWork& node = request.nodes[found];
    const std::string tightest = kTighterPolicies.back();
    const Policy tight =
        node.components.empty() ? own : tightened(own, kTighterPolicies.size() - 1);
    for (const Policy& policy : {own, tight}) {
        node.policy = policy;
        for (const int64_t value : node.smaller.values) {
            std::optional<StageWork> work = node.smaller.work(value);
            if (!work) {
                continue;
            }
            node.work = std::move(*work);
            const Bytes needed = smallestOf(request, found, infeasible.device);
            if (needed > infeasible.capacity) {
                continue;
            }
            if (policy == own) {
                infeasible.fittingParam = node.smaller.param;
                infeasible.fittingValue = value;
            }
            return policy == own
                       ? message("set {} of {} to {}, which changes pixels: it then needs {}",
                                 node.smaller.param,
                                 infeasible.node,
                                 value,
                                 formatBytes(needed))
                       : message(
                             "set {} of {} to {} and its memory policy to {}, which changes "
                             "pixels: it then needs {}",
                             node.smaller.param,
                             infeasible.node,
                             value,
                             tightest,
                             formatBytes(needed));
        }
    }
    return {};
}

}  // namespace

std::optional<Infeasible> firstTooLarge(const Demand& demand) {
    for (const StagePlan& stage : demand.stages) {
        for (size_t i = 0; i < stage.bytes.size(); ++i) {
            const StageBytes& bytes = stage.bytes[i];
            const DevicePlan& device = demand.devices[i];
            if (device.capacity > 0 && bytes.space() > device.capacity) {
                return Infeasible{.node = stage.node,
                                  .needed = bytes.space(),
                                  .minimum = device.space,
                                  .device = bytes.device,
                                  .reason = reasonOf(bytes, device)};
            }
        }
    }
    return std::nullopt;
}

void findCheapestFix(const PlanRequest& request, Infeasible& infeasible) {
    PlanRequest changed = request;
    const auto node = std::find_if(changed.nodes.begin(),
                                   changed.nodes.end(),
                                   [&](const auto& each) { return each.node == infeasible.node; });
    const auto found = static_cast<size_t>(node - changed.nodes.begin());
    const Policy& own = request.nodes[found].policy;
    const PlanDevice& device = deviceOf(request, parseDeviceSpec(infeasible.device));
    const Bytes capacity = device.traits.capacity;
    infeasible.capacity = capacity;
    const bool isOfRun = infeasible.device == request.device.id();
    if (device.size == 0 || infeasible.minimum <= device.size) {
        infeasible.budget = infeasible.minimum;
    }
    std::vector<std::pair<std::string, Policy>> choices = {{"auto", relaxedToAuto(own)}};
    for (size_t rung = rungOf(*node); rung < kTighterPolicies.size(); ++rung) {
        choices.emplace_back(kTighterPolicies[rung], tightened(own, rung));
    }
    for (const auto& [name, policy] : choices) {
        if (node->components.empty() || policy == own) {
            continue;
        }
        node->policy = policy;
        const Bytes needed = smallestOf(changed, found, infeasible.device);
        if (needed <= capacity) {
            infeasible.fittingPolicy = name;
            infeasible.cheapestFix =
                own.components.empty()
                    ? message("set the memory policy of {} to {}: it then needs {}",
                              infeasible.node,
                              name,
                              formatBytes(needed))
                    : message(
                          "set the memory policy of {} and of its components to {}: it then "
                          "needs {}",
                          infeasible.node,
                          name,
                          formatBytes(needed));
            return;
        }
    }
    const Message smaller = smallerFix(changed, found, own, infeasible);
    const std::string least = formatAtLeast(infeasible.budget);
    const bool canBeLarger = infeasible.budget > 0;
    Message& fix = infeasible.cheapestFix;
    if (!smaller.empty()) {
        fix =
            !canBeLarger ? smaller
            : isOfRun
                ? message("{}; or give a budget of at least {}", smaller, least)
                : message(
                      "{}; or give {} a budget of at least {}", smaller, infeasible.device, least);
    } else if (!canBeLarger) {
        fix = message("choose a smaller image or batch");
    } else if (isOfRun) {
        fix = message("give a budget of at least {}, or a smaller image or batch", least);
    } else {
        fix = message("give {} a budget of at least {}, or a smaller image or batch",
                      infeasible.device,
                      least);
    }
    if (infeasible.device != "cpu") {
        fix = message("{}, or compute the node on the cpu (@cpu)", fix);
    }
}

}  // namespace lowtide::memory
