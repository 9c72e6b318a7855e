#include "plugin/memory/plan_intervals.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>

namespace lowtide::memory {

namespace {

/// A policy that is built, and whose settings mean something, with the sentence that the person
/// sees.
void checkPolicy(const NodeWork& node, const Policy& policy) {
    if (findPlanner(policy.name)) {
        (void)requireAllowed({.policy = policy}, "node " + node.node + ": ");
        return;
    }
    std::vector<std::string> names;
    for (const PlannerType& type : planners()) {
        names.push_back(type.name);
    }
    throw Error(ErrorKind::Unsupported,
                "node " + node.node + ": there is no memory policy \"" + policy.name + "\"",
                "use " + join(names, ", "),
                "memory");
}

class Sketcher {
public:
    Sketcher(const PlanRequest& request, const SketchOptions& options)
        : request_(request), options_(options) {}

    StaySketch sketch() {
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            addUses(node);
        }
        for (uint32_t use = 0; use < plan().uses.size(); ++use) {
            addToStay(use);
        }
        for (uint32_t stay = 0; stay < plan().stays.size(); ++stay) {
            endStay(stay);
            findKept(stay);
            findAbsences(stay);
        }
        return std::move(sketch_);
    }

private:
    Plan& plan() { return sketch_.plan; }

    void addUses(NodeIndex node) {
        const NodeWork& work = request_.nodes[node];
        for (const auto& tree : work.components) {
            Policy policy = work.policy.forComponent(tree->role);
            checkPolicy(work, policy);
            const DeviceSpec device = policy.device.value_or(request_.device);
            const uint32_t index = componentOn(tree, device);
            plan().components[index].after = policy.after;
            plan().components[index].lastUse = node;
            plan().uses.push_back({.node = node, .component = index, .policy = std::move(policy)});
        }
    }

    uint32_t componentOn(const std::shared_ptr<const ComponentTree>& tree,
                         const DeviceSpec& device) {
        for (uint32_t index = 0; index < plan().components.size(); ++index) {
            const PlannedComponent& known = plan().components[index];
            if (known.tree->id == tree->id && known.device.id() == device.id()) {
                return index;
            }
        }
        plan().components.push_back({.tree = tree, .device = device});
        return static_cast<uint32_t>(plan().components.size() - 1);
    }

    /// Whether several components of the use's node come one after the other on its device.
    bool isCrowded(const PlannedUse& use) {
        const std::string id = plan().components[use.component].device.id();
        return std::any_of(plan().uses.begin(), plan().uses.end(), [&](const PlannedUse& other) {
            return other.node == use.node && other.component != use.component &&
                   plan().components[other.component].device.id() == id && takesTurns(other);
        });
    }

    bool takesTurns(const PlannedUse& use) {
        const Lifetime lifetime = findPlanner(use.policy.name)->lifetime;
        return lifetime != Lifetime::Run && !(lifetime == Lifetime::Uses && options_.keepsAll) &&
               !isKept(use);
    }

    bool isKept(const PlannedUse& use) {
        const PlannedComponent& component = plan().components[use.component];
        return component.after == After::Keep && use.policy.after == After::Keep;
    }

    void addToStay(uint32_t index) {
        PlannedUse& use = plan().uses[index];
        const PlannerType* planner = findPlanner(use.policy.name);
        for (uint32_t stay = static_cast<uint32_t>(plan().stays.size()); stay-- > 0;) {
            if (plan().stays[stay].component == use.component) {
                if (goesOn(stay, use)) {
                    plan().stays[stay].last = use.node;
                    use.stay = stay;
                    return;
                }
                break;
            }
        }
        use.stay = static_cast<uint32_t>(plan().stays.size());
        const bool isOfCrowd = takesTurns(use) && isCrowded(use);
        const bool livesWithOthers = isOfCrowd && options_.together.count(use.node) > 0;
        plan().stays.push_back({.component = use.component,
                                .planner = planner->name,
                                .first = use.node,
                                .last = use.node,
                                .takesTurns = isOfCrowd && !livesWithOthers});
        sketch_.planners.push_back(planner);
        policies_.push_back(use.policy);
        isOfCrowd_.push_back(isOfCrowd);
        if (livesWithOthers) {
            joinOthers(use);
        }
    }

    void joinOthers(const PlannedUse& use) {
        for (std::vector<uint32_t>& others : sketch_.together) {
            const PlannedStay& other = plan().stays[others.front()];
            if (other.first == use.node && plan().components[other.component].device.id() ==
                                               plan().components[use.component].device.id()) {
                others.push_back(use.stay);
                return;
            }
        }
        sketch_.together.push_back({use.stay});
    }

    /// Whether the component may stay where it is since its last use.
    bool goesOn(uint32_t index, const PlannedUse& use) {
        const PlannedStay& stay = plan().stays[index];
        if (stay.last == use.node) {
            return true;
        }
        if (!(policies_[index] == use.policy)) {
            return false;
        }
        if (!takesTurns(use)) {
            return true;
        }
        if (isOfCrowd_[index] || isCrowded(use)) {
            return false;
        }
        if (sketch_.planners[index]->lifetime == Lifetime::Stage) {
            return stay.last + 1 == use.node;
        }
        return std::none_of(plan().uses.begin(), plan().uses.end(), [&](const PlannedUse& other) {
            return other.node > stay.last && other.node < use.node && takesTurns(other) &&
                   plan().components[other.component].device.id() ==
                       plan().components[use.component].device.id();
        });
    }

    /// "none" and what is kept stays to the end of the run, or until its policy changes.
    void endStay(uint32_t index) {
        PlannedStay& stay = plan().stays[index];
        const PlannedComponent& component = plan().components[stay.component];
        const bool isLast = stay.last == component.lastUse;
        stay.isKept = isLast && component.after == After::Keep;
        NodeIndex end = stay.last;
        if (stay.isKept || (sketch_.planners[index]->lifetime == Lifetime::Run && isLast)) {
            end = static_cast<NodeIndex>(request_.nodes.size() - 1);
        } else if (sketch_.planners[index]->lifetime == Lifetime::Run) {
            for (const PlannedStay& other : plan().stays) {
                if (other.component == stay.component && other.first > stay.last) {
                    end = other.first - 1;
                    break;
                }
            }
        }
        stay.last = end;
        const bool comesEarly = policies_[index].stream && stay.first > 0 &&
                                sketch_.planners[index]->lifetime == Lifetime::Turn &&
                                !isOfCrowd_[index];
        stay.first -= comesEarly && isFreeBefore(index) ? 1 : 0;
    }

    /// A kept component is on its device from the beginning, until a policy wants it otherwise.
    void findKept(uint32_t index) {
        PlannedStay& stay = plan().stays[index];
        const PlannedComponent& component = plan().components[stay.component];
        const bool isFirst = std::none_of(
            plan().stays.begin(), plan().stays.begin() + index, [&](const PlannedStay& other) {
                return other.component == stay.component;
            });
        const bool isKnown =
            std::any_of(request_.kept.begin(), request_.kept.end(), [&](const KeptComponent& kept) {
                return kept.tree == component.tree->id && kept.device == component.device.id();
            });
        if (isFirst && isKnown && sketch_.planners[index]->mayKeep) {
            stay.first = 0;
            stay.isThere = true;
            stay.takesTurns = false;
        }
    }

    /// Control nodes send it away until the next node that uses it is entered.
    void findAbsences(uint32_t index) {
        PlannedStay& stay = plan().stays[index];
        const ComponentTree& tree = *plan().components[stay.component].tree;
        for (NodeIndex node = stay.first; node <= stay.last; ++node) {
            const auto& names = request_.nodes[node].offloads;
            const bool leaves =
                stay.isHeldAt(node) &&
                std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                    return isNamed(tree, name);
                });
            if (!leaves) {
                continue;
            }
            const auto next =
                std::find_if(plan().uses.begin(), plan().uses.end(), [&](const PlannedUse& use) {
                    return use.stay == index && use.node > node;
                });
            stay.absences.push_back(
                {.from = node, .until = next == plan().uses.end() ? stay.last + 1 : next->node});
        }
    }

    /// Whether the component has no other stay at the node before.
    bool isFreeBefore(uint32_t index) {
        const PlannedStay& stay = plan().stays[index];
        return std::none_of(
            plan().stays.begin(), plan().stays.end(), [&](const PlannedStay& other) {
                return &other != &stay && other.component == stay.component &&
                       other.last + 1 == stay.first;
            });
    }

    const PlanRequest& request_;
    const SketchOptions& options_;
    StaySketch sketch_;
    std::vector<Policy> policies_;  ///< per stay
    std::vector<bool> isOfCrowd_;   ///< per stay
};

}  // namespace

StaySketch sketchStays(const PlanRequest& request, const SketchOptions& options) {
    return Sketcher(request, options).sketch();
}

bool isOffloadedBefore(const PlanRequest& request, const KeptComponent& kept, NodeIndex node) {
    const ComponentTree named{
        .id = kept.tree, .sourceId = kept.weights, .baseId = kept.base, .role = kept.role};
    return std::any_of(
        request.nodes.begin(), request.nodes.begin() + node, [&](const NodeWork& work) {
            return std::any_of(work.offloads.begin(),
                               work.offloads.end(),
                               [&](const std::string& name) { return isNamed(named, name); });
        });
}

DeviceSpec NodeWork::deviceOf(const ComponentTree& tree, const DeviceSpec& main) const {
    return policy.forComponent(tree.role).device.value_or(main);
}

DeviceSpec NodeWork::device(const DeviceSpec& main) const {
    return components.empty() ? policy.device.value_or(main) : deviceOf(*components.front(), main);
}

const PlanDevice& deviceOf(const PlanRequest& request, const DeviceSpec& spec) {
    for (const PlanDevice& device : request.devices) {
        if (device.spec.id() == spec.id()) {
            return device;
        }
    }
    throw Error(ErrorKind::Internal, "the plan knows nothing of device " + spec.id());
}

}  // namespace lowtide::memory
