#include "plugin/memory/plan_intervals.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/memory/combinations.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/planner.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::memory {

namespace {

/// A policy that is built, and whose settings mean something, with the sentence that the user
/// sees.
void checkPolicy(const NodeWork& node, const Policy& policy) {
    if (findPlanner(policy.name)) {
        (void)requireAllowed({.policy = policy}, node.node);
        return;
    }
    std::vector<std::string> names;
    for (const PlannerType& type : planners()) {
        names.push_back(type.name);
    }
    throw Error(ErrorKind::Unsupported,
                message("node {}: there is no memory policy \"{}\"", node.node, policy.name),
                message("use {}", join(names, ", ")),
                "memory");
}

class IntervalFinder {
public:
    IntervalFinder(const PlanRequest& request, const IntervalOptions& options)
        : request_(request), options_(options) {}

    Intervals find() {
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            addUses(node);
        }
        for (PlannedUse& use : found_.uses) {
            extendResidency(use);
        }
        for (uint32_t residency = 0; residency < found_.residencies.size(); ++residency) {
            endResidency(residency);
            findKept(residency);
            findAbsences(residency);
            found_.residencies[residency].forwards = forwardsOf(residency);
            findSlot(residency);
        }
        return std::move(found_);
    }

private:
    void addUses(NodeIndex node) {
        const NodeWork& work = request_.nodes[node];
        for (const auto& tree : work.components) {
            Policy policy = work.policy.forComponent(tree->role);
            checkPolicy(work, policy);
            const DeviceSpec device = policy.device.value_or(request_.device);
            const uint32_t index = componentOn(tree, device);
            found_.components[index].after = policy.after;
            found_.components[index].lastUse = node;
            found_.uses.push_back({.node = node, .component = index, .policy = std::move(policy)});
        }
    }

    uint32_t componentOn(const std::shared_ptr<const ComponentTree>& tree,
                         const DeviceSpec& device) {
        for (uint32_t index = 0; index < found_.components.size(); ++index) {
            const PlannedComponent& known = found_.components[index];
            if (known.tree->id == tree->id && known.device.id() == device.id()) {
                return index;
            }
        }
        found_.components.push_back({.tree = tree, .device = device});
        return static_cast<uint32_t>(found_.components.size() - 1);
    }

    /// Whether several components of the use's node come one after the other on its device.
    bool isCrowded(const PlannedUse& use) {
        const std::string id = found_.components[use.component].device.id();
        return std::any_of(found_.uses.begin(), found_.uses.end(), [&](const PlannedUse& other) {
            return other.node == use.node && other.component != use.component &&
                   found_.components[other.component].device.id() == id && alternates(other);
        });
    }

    bool alternates(const PlannedUse& use) {
        const Lifetime lifetime = findPlanner(use.policy.name)->lifetime;
        return lifetime != Lifetime::Run && !(lifetime == Lifetime::Uses && options_.keepsAll) &&
               !isKept(use);
    }

    bool isKept(const PlannedUse& use) {
        const PlannedComponent& component = found_.components[use.component];
        return component.after == After::Keep && use.policy.after == After::Keep;
    }

    void extendResidency(PlannedUse& use) {
        for (uint32_t residency = static_cast<uint32_t>(found_.residencies.size());
             residency-- > 0;) {
            if (found_.residencies[residency].component == use.component) {
                if (goesOn(residency, use)) {
                    found_.residencies[residency].last = use.node;
                    use.residency = residency;
                    return;
                }
                break;
            }
        }
        use.residency = static_cast<uint32_t>(found_.residencies.size());
        const bool isOfCrowd = alternates(use) && isCrowded(use);
        const bool livesWithOthers = isOfCrowd && options_.together.count(use.node) > 0;
        found_.residencies.push_back({.component = use.component,
                                      .planner = use.policy.name,
                                      .first = use.node,
                                      .last = use.node,
                                      .alternates = isOfCrowd && !livesWithOthers});
        policies_.push_back(use.policy);
        isOfCrowd_.push_back(isOfCrowd);
        if (livesWithOthers) {
            joinOthers(use);
        }
    }

    void joinOthers(const PlannedUse& use) {
        for (std::vector<uint32_t>& others : found_.together) {
            const ComponentInterval& other = found_.residencies[others.front()];
            if (other.first == use.node && found_.components[other.component].device.id() ==
                                               found_.components[use.component].device.id()) {
                others.push_back(use.residency);
                return;
            }
        }
        found_.together.push_back({use.residency});
    }

    /// Whether the component may remain where it is since its last use.
    bool goesOn(uint32_t index, const PlannedUse& use) {
        const ComponentInterval& residency = found_.residencies[index];
        if (residency.last == use.node) {
            return true;
        }
        if (!(policies_[index] == use.policy)) {
            return false;
        }
        if (!alternates(use)) {
            return true;
        }
        if (isOfCrowd_[index] || isCrowded(use)) {
            return false;
        }
        if (plannerOf(index).lifetime == Lifetime::Stage) {
            return residency.last + 1 == use.node;
        }
        return std::none_of(found_.uses.begin(), found_.uses.end(), [&](const PlannedUse& other) {
            return other.node > residency.last && other.node < use.node && alternates(other) &&
                   found_.components[other.component].device.id() ==
                       found_.components[use.component].device.id();
        });
    }

    /// "none" and what is kept remain to the end of the run, or until its policy changes.
    void endResidency(uint32_t index) {
        ComponentInterval& residency = found_.residencies[index];
        const PlannedComponent& component = found_.components[residency.component];
        const bool isLast = residency.last == component.lastUse;
        residency.isKept = isLast && component.after == After::Keep;
        NodeIndex end = residency.last;
        if (residency.isKept || (plannerOf(index).lifetime == Lifetime::Run && isLast)) {
            end = static_cast<NodeIndex>(request_.nodes.size() - 1);
        } else if (plannerOf(index).lifetime == Lifetime::Run) {
            for (const ComponentInterval& other : found_.residencies) {
                if (other.component == residency.component && other.first > residency.last) {
                    end = other.first - 1;
                    break;
                }
            }
        }
        residency.last = end;
        const bool comesEarly = policies_[index].stream && residency.first > 0 &&
                                plannerOf(index).lifetime == Lifetime::Burst && !isOfCrowd_[index];
        residency.first -= comesEarly && isFreeBefore(index) ? 1 : 0;
    }

    /// A kept component is on its device from the beginning, until a policy wants it otherwise.
    void findKept(uint32_t index) {
        ComponentInterval& residency = found_.residencies[index];
        const PlannedComponent& component = found_.components[residency.component];
        const bool isFirst = std::none_of(
            found_.residencies.begin(),
            found_.residencies.begin() + index,
            [&](const ComponentInterval& other) { return other.component == residency.component; });
        const bool isKnown =
            std::any_of(request_.kept.begin(), request_.kept.end(), [&](const KeptComponent& kept) {
                return kept.tree == component.tree->id && kept.device == component.device.id();
            });
        if (isFirst && isKnown && plannerOf(index).mayKeep) {
            residency.first = 0;
            residency.isThere = true;
            residency.alternates = false;
        }
    }

    /// Control nodes send it away until the next node that uses it is entered.
    void findAbsences(uint32_t index) {
        ComponentInterval& residency = found_.residencies[index];
        const ComponentTree& tree = *found_.components[residency.component].tree;
        for (NodeIndex node = residency.first; node <= residency.last; ++node) {
            const auto& names = request_.nodes[node].offloads;
            const bool leaves =
                residency.isHeldAt(node) &&
                std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                    return isNamed(tree, name);
                });
            if (!leaves) {
                continue;
            }
            const auto next =
                std::find_if(found_.uses.begin(), found_.uses.end(), [&](const PlannedUse& use) {
                    return use.residency == index && use.node > node;
                });
            residency.absences.push_back(
                {.from = node,
                 .until = next == found_.uses.end() ? residency.last + 1 : next->node});
        }
    }

    /// Whether the component has no residency at the node before; none ends before it begins.
    bool isFreeBefore(uint32_t index) {
        const ComponentInterval& residency = found_.residencies[index];
        return std::none_of(found_.residencies.begin(),
                            found_.residencies.end(),
                            [&](const ComponentInterval& other) {
                                return other.component == residency.component &&
                                       other.last + 1 == residency.first;
                            });
    }

    /// 0 where those of one of its uses are not known.
    int64_t forwardsOf(uint32_t index) {
        int64_t forwards = 0;
        for (const PlannedUse& use : found_.uses) {
            if (use.residency != index) {
                continue;
            }
            const ComponentWork* work =
                workOf(request_.nodes[use.node], *found_.components[use.component].tree);
            if (!work) {
                return 0;
            }
            forwards += work->forwards;
        }
        return forwards;
    }

    /// Its own, or that of the earlier residencies that take turns with it.
    void findSlot(uint32_t index) {
        ComponentInterval& residency = found_.residencies[index];
        const DeviceSpec& device = found_.components[residency.component].device;
        const auto end = found_.residencies.begin() + index;
        const auto shared =
            std::find_if(found_.residencies.begin(), end, [&](const ComponentInterval& other) {
                return residency.alternates && other.alternates && other.first == residency.first &&
                       found_.components[other.component].device.id() == device.id();
            });
        if (shared != end) {
            residency.slot = shared->slot;
            return;
        }
        residency.slot = static_cast<uint32_t>(found_.slots.size());
        found_.slots.push_back({.device = device,
                                .first = residency.first,
                                .last = residency.last,
                                .absences = residency.absences});
    }

    const PlannerType& plannerOf(uint32_t index) {
        return *findPlanner(found_.residencies[index].planner);
    }

    const PlanRequest& request_;
    const IntervalOptions& options_;
    Intervals found_;
    std::vector<Policy> policies_;  ///< per residency
    std::vector<bool> isOfCrowd_;   ///< per residency
};

/// Whether another use of the node takes the place of `use` meanwhile.
bool replaces(const Intervals& intervals, const PlannedUse& use, const std::string& tree) {
    return std::any_of(intervals.uses.begin(), intervals.uses.end(), [&](const PlannedUse& other) {
        return other.node == use.node && other.residency != use.residency &&
               intervals.residencies[other.residency].slot ==
                   intervals.residencies[use.residency].slot &&
               intervals.components[other.component].tree->id == tree;
    });
}

}  // namespace

Intervals intervalsOf(const PlanRequest& request, const IntervalOptions& options) {
    return IntervalFinder(request, options).find();
}

const ComponentWork* workOf(const NodeWork& node, const ComponentTree& tree) {
    for (const ComponentWork& work : node.work.components) {
        if (work.tree->id == tree.id) {
            return &work;
        }
    }
    return nullptr;
}

std::vector<int64_t> burstsOf(const PlanRequest& request,
                              const Intervals& intervals,
                              const PlannedUse& use) {
    const NodeWork& node = request.nodes[use.node];
    const ComponentTree& own = *intervals.components[use.component].tree;
    const ComponentWork* component = workOf(node, own);
    if (!component) {
        return {};
    }
    if (node.work.bursts.empty()) {
        return {component->forwards};
    }
    std::vector<int64_t> bursts;
    bool isInterrupted = true;
    for (const ComponentBurst& burst : node.work.bursts) {
        const std::string& tree = node.work.components[burst.component].tree->id;
        if (tree != own.id) {
            isInterrupted = isInterrupted || replaces(intervals, use, tree);
        } else if (std::exchange(isInterrupted, false)) {
            bursts.push_back(burst.forwards);
        } else {
            bursts.back() += burst.forwards;
        }
    }
    return bursts;
}

std::set<NodeIndex> alternatingNodes(const PlanRequest& request, const Intervals& intervals) {
    std::set<NodeIndex> nodes;
    for (const PlannedUse& use : intervals.uses) {
        if (burstsOf(request, intervals, use).size() > 1) {
            nodes.insert(use.node);
        }
    }
    return nodes;
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

bool usesOn(const PlanRequest& request, const std::string& tree, const std::string& device) {
    const auto usesIt = [&](const NodeWork& node) {
        return std::any_of(node.components.begin(), node.components.end(), [&](const auto& own) {
            return own->id == tree && node.deviceOf(*own, request.device).id() == device;
        });
    };
    return std::any_of(request.nodes.begin(), request.nodes.end(), usesIt);
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
    throw Error(ErrorKind::Internal, message("the plan knows nothing of device {}", spec.id()));
}

}  // namespace lowtide::memory
