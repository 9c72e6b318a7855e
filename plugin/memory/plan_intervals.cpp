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

/// A policy that is built, and whose settings mean something, with the sentence that the person
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
            addToStay(use);
        }
        for (uint32_t stay = 0; stay < found_.stays.size(); ++stay) {
            endStay(stay);
            findKept(stay);
            findAbsences(stay);
            found_.stays[stay].passes = passesOf(stay);
            findPlace(stay);
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
                   found_.components[other.component].device.id() == id && takesTurns(other);
        });
    }

    bool takesTurns(const PlannedUse& use) {
        const Lifetime lifetime = findPlanner(use.policy.name)->lifetime;
        return lifetime != Lifetime::Run && !(lifetime == Lifetime::Uses && options_.keepsAll) &&
               !isKept(use);
    }

    bool isKept(const PlannedUse& use) {
        const PlannedComponent& component = found_.components[use.component];
        return component.after == After::Keep && use.policy.after == After::Keep;
    }

    void addToStay(PlannedUse& use) {
        for (uint32_t stay = static_cast<uint32_t>(found_.stays.size()); stay-- > 0;) {
            if (found_.stays[stay].component == use.component) {
                if (goesOn(stay, use)) {
                    found_.stays[stay].last = use.node;
                    use.stay = stay;
                    return;
                }
                break;
            }
        }
        use.stay = static_cast<uint32_t>(found_.stays.size());
        const bool isOfCrowd = takesTurns(use) && isCrowded(use);
        const bool livesWithOthers = isOfCrowd && options_.together.count(use.node) > 0;
        found_.stays.push_back({.component = use.component,
                                .planner = use.policy.name,
                                .first = use.node,
                                .last = use.node,
                                .takesTurns = isOfCrowd && !livesWithOthers});
        policies_.push_back(use.policy);
        isOfCrowd_.push_back(isOfCrowd);
        if (livesWithOthers) {
            joinOthers(use);
        }
    }

    void joinOthers(const PlannedUse& use) {
        for (std::vector<uint32_t>& others : found_.together) {
            const ComponentInterval& other = found_.stays[others.front()];
            if (other.first == use.node && found_.components[other.component].device.id() ==
                                               found_.components[use.component].device.id()) {
                others.push_back(use.stay);
                return;
            }
        }
        found_.together.push_back({use.stay});
    }

    /// Whether the component may stay where it is since its last use.
    bool goesOn(uint32_t index, const PlannedUse& use) {
        const ComponentInterval& stay = found_.stays[index];
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
        if (plannerOf(index).lifetime == Lifetime::Stage) {
            return stay.last + 1 == use.node;
        }
        return std::none_of(found_.uses.begin(), found_.uses.end(), [&](const PlannedUse& other) {
            return other.node > stay.last && other.node < use.node && takesTurns(other) &&
                   found_.components[other.component].device.id() ==
                       found_.components[use.component].device.id();
        });
    }

    /// "none" and what is kept stays to the end of the run, or until its policy changes.
    void endStay(uint32_t index) {
        ComponentInterval& stay = found_.stays[index];
        const PlannedComponent& component = found_.components[stay.component];
        const bool isLast = stay.last == component.lastUse;
        stay.isKept = isLast && component.after == After::Keep;
        NodeIndex end = stay.last;
        if (stay.isKept || (plannerOf(index).lifetime == Lifetime::Run && isLast)) {
            end = static_cast<NodeIndex>(request_.nodes.size() - 1);
        } else if (plannerOf(index).lifetime == Lifetime::Run) {
            for (const ComponentInterval& other : found_.stays) {
                if (other.component == stay.component && other.first > stay.last) {
                    end = other.first - 1;
                    break;
                }
            }
        }
        stay.last = end;
        const bool comesEarly = policies_[index].stream && stay.first > 0 &&
                                plannerOf(index).lifetime == Lifetime::Turn && !isOfCrowd_[index];
        stay.first -= comesEarly && isFreeBefore(index) ? 1 : 0;
    }

    /// A kept component is on its device from the beginning, until a policy wants it otherwise.
    void findKept(uint32_t index) {
        ComponentInterval& stay = found_.stays[index];
        const PlannedComponent& component = found_.components[stay.component];
        const bool isFirst = std::none_of(
            found_.stays.begin(),
            found_.stays.begin() + index,
            [&](const ComponentInterval& other) { return other.component == stay.component; });
        const bool isKnown =
            std::any_of(request_.kept.begin(), request_.kept.end(), [&](const KeptComponent& kept) {
                return kept.tree == component.tree->id && kept.device == component.device.id();
            });
        if (isFirst && isKnown && plannerOf(index).mayKeep) {
            stay.first = 0;
            stay.isThere = true;
            stay.takesTurns = false;
        }
    }

    /// Control nodes send it away until the next node that uses it is entered.
    void findAbsences(uint32_t index) {
        ComponentInterval& stay = found_.stays[index];
        const ComponentTree& tree = *found_.components[stay.component].tree;
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
                std::find_if(found_.uses.begin(), found_.uses.end(), [&](const PlannedUse& use) {
                    return use.stay == index && use.node > node;
                });
            stay.absences.push_back(
                {.from = node, .until = next == found_.uses.end() ? stay.last + 1 : next->node});
        }
    }

    /// Whether the component has no stay at the node before; none ends before it begins.
    bool isFreeBefore(uint32_t index) {
        const ComponentInterval& stay = found_.stays[index];
        return std::none_of(
            found_.stays.begin(), found_.stays.end(), [&](const ComponentInterval& other) {
                return other.component == stay.component && other.last + 1 == stay.first;
            });
    }

    /// 0 where those of one of its uses are not known.
    int64_t passesOf(uint32_t index) {
        int64_t passes = 0;
        for (const PlannedUse& use : found_.uses) {
            if (use.stay != index) {
                continue;
            }
            const ComponentWork* work =
                workOf(request_.nodes[use.node], *found_.components[use.component].tree);
            if (!work) {
                return 0;
            }
            passes += work->passes;
        }
        return passes;
    }

    /// Its own, or that of the earlier stays that take turns with it.
    void findPlace(uint32_t index) {
        ComponentInterval& stay = found_.stays[index];
        const DeviceSpec& device = found_.components[stay.component].device;
        const auto end = found_.stays.begin() + index;
        const auto shared =
            std::find_if(found_.stays.begin(), end, [&](const ComponentInterval& other) {
                return stay.takesTurns && other.takesTurns && other.first == stay.first &&
                       found_.components[other.component].device.id() == device.id();
            });
        if (shared != end) {
            stay.place = shared->place;
            return;
        }
        stay.place = static_cast<uint32_t>(found_.places.size());
        found_.places.push_back(
            {.device = device, .first = stay.first, .last = stay.last, .absences = stay.absences});
    }

    const PlannerType& plannerOf(uint32_t index) {
        return *findPlanner(found_.stays[index].planner);
    }

    const PlanRequest& request_;
    const IntervalOptions& options_;
    Intervals found_;
    std::vector<Policy> policies_;  ///< per stay
    std::vector<bool> isOfCrowd_;   ///< per stay
};

/// Whether another use of the node takes the place of `use` meanwhile.
bool takesPlaceOf(const Intervals& intervals, const PlannedUse& use, const std::string& tree) {
    return std::any_of(intervals.uses.begin(), intervals.uses.end(), [&](const PlannedUse& other) {
        return other.node == use.node && other.stay != use.stay &&
               intervals.stays[other.stay].place == intervals.stays[use.stay].place &&
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

std::vector<int64_t> turnsOf(const PlanRequest& request,
                             const Intervals& intervals,
                             const PlannedUse& use) {
    const NodeWork& node = request.nodes[use.node];
    const ComponentTree& own = *intervals.components[use.component].tree;
    const ComponentWork* component = workOf(node, own);
    if (!component) {
        return {};
    }
    if (node.work.turns.empty()) {
        return {component->passes};
    }
    std::vector<int64_t> turns;
    bool isInterrupted = true;
    for (const ComponentTurn& turn : node.work.turns) {
        const std::string& tree = node.work.components[turn.component].tree->id;
        if (tree != own.id) {
            isInterrupted = isInterrupted || takesPlaceOf(intervals, use, tree);
        } else if (std::exchange(isInterrupted, false)) {
            turns.push_back(turn.passes);
        } else {
            turns.back() += turn.passes;
        }
    }
    return turns;
}

std::set<NodeIndex> alternatingNodes(const PlanRequest& request, const Intervals& intervals) {
    std::set<NodeIndex> nodes;
    for (const PlannedUse& use : intervals.uses) {
        if (turnsOf(request, intervals, use).size() > 1) {
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
