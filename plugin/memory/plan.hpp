#pragma once

#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/policy.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lowtide::memory {

/// Position of a node in the run's order.
using NodeIndex = uint32_t;

/// What one node of a run needs, in the order in which nodes will execute.
struct NodeWork {
    std::string node;
    Policy policy;
    std::vector<std::shared_ptr<const ComponentTree>> components;
};

/// One (node, component) of the plan: the policy that holds while that node runs.
struct PlannedUse {
    NodeIndex node = 0;
    uint32_t component = 0;  ///< index into Plan::components
    Policy policy;
};

/// A component on one device for the length of a run.
struct PlannedComponent {
    std::shared_ptr<const ComponentTree> tree;
    DeviceSpec device;
    std::string planner;    ///< "none", "model", ...
    Bytes arenaOffset = 0;  ///< where its region starts in the device's arena
    Bytes arenaBytes = 0;   ///< size of its region; 0 when every weight is used in place
    Bytes residentBytes =
        0;  ///< most bytes of its weights on the device at once, in place or in the arena
    NodeIndex firstNode = 0;
    NodeIndex lastNode = 0;
    After after = After::Evict;
};

/// What one stage takes, in bytes on its device.
struct StagePlan {
    std::string node;
    Bytes weights = 0;
    std::vector<uint32_t> resident;  ///< components on the device while the node runs
};

struct DevicePlan {
    DeviceSpec device;
    Bytes arenaBytes = 0;
    Bytes peakWeights = 0;
};

/// The memory plan of a run: pure data, made before anything moves.
struct Plan {
    std::vector<PlannedComponent> components;
    std::vector<PlannedUse> uses;
    std::vector<StagePlan> stages;
    std::vector<DevicePlan> devices;

    [[nodiscard]] const PlannedUse* use(NodeIndex node, const ComponentTree& tree) const;
    [[nodiscard]] const DevicePlan* device(const DeviceSpec& spec) const;
};

/// Why there is no plan: the node, what it needs, the cheapest change that helps.
struct Infeasible {
    std::string node;
    Bytes needed = 0;
    std::string reason;
    std::string cheapestFix;
};

/// How a device holds a component: the CPU uses weights in place where the file's type is the
/// compute type.
struct DeviceTraits {
    bool usesWeightsInPlace = false;
    Bytes capacity = 0;
};

struct PlanRequest {
    std::vector<NodeWork> nodes;
    DeviceSpec device;  ///< the run's device, for policies that name none
    std::vector<std::pair<DeviceSpec, DeviceTraits>> traits;
};

/// Where a planner puts one component on one device.
struct Placement {
    Bytes arenaBytes = 0;  ///< its region of the arena
    bool sharesRegion =
        false;  ///< one region for all components that share: at most one of them is resident
};

/// A memory policy that is built: its name and how it places a component. One folder each in
/// planners/.
struct PlannerType {
    std::string name;
    std::string summary;  ///< one sentence for a person
    Placement (*place)(const ComponentTree& tree, const DeviceTraits& traits) = nullptr;
};

/// All planners that are built, by name.
[[nodiscard]] std::span<const PlannerType> planners();

/// Decides where every weight lives and when. Pure: the same request gives the same plan.
/// Errors: Error{Unsupported} names a policy that has no planner, Error{InvalidInput} a refused
/// combination.
[[nodiscard]] std::variant<Plan, Infeasible> makePlan(const PlanRequest& request);

/// Bytes of `tree` that need a slot on a device with `traits`: everything, or only what must be
/// converted or moved.
[[nodiscard]] Bytes slotBytes(const ComponentTree& tree, const DeviceTraits& traits);
/// Whether one weight can be used where its file is mapped.
[[nodiscard]] bool isUsedInPlace(const ComponentTree& tree,
                                 StorageId storage,
                                 const DeviceTraits& traits);

[[nodiscard]] Json toJson(const Plan& plan);

}  // namespace lowtide::memory
