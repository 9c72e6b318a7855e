#pragma once
// The memory plan of a run: pure data, made before anything moves.

#include "plugin/base/json.hpp"
#include "plugin/memory/device_profile.hpp"
#include "plugin/memory/layout.hpp"
#include "plugin/memory/measurements.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/stage_work.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lowtide::memory {

/// Position of a node in the run's order.
using NodeIndex = uint32_t;

/// Whether `component` means the tree: a pattern of its role (matchesRole), its id, or "all".
[[nodiscard]] bool isNamed(const ComponentTree& tree, std::string_view component);

/// What one node of a run needs, in the order in which nodes will execute.
struct NodeWork {
    std::string node;
    Policy policy;
    std::vector<std::shared_ptr<const ComponentTree>> components;
    StageWork work{};  ///< on shapes alone; empty components: nothing is known
    /// What leaves its device when the node runs: as isNamed() takes it.
    std::vector<std::string> offloads{};
    /// Per device id: bytes of values on wires, and of kept results, while the node runs.
    std::map<std::string, Bytes, std::less<>> wires{};
    /// Of the last node: what comes to the host in addition to its wires when the node has ended.
    Bytes handedOver = 0;
    /// What its compute took in earlier runs over what was predicted; corrects predicted times and
    /// nothing else. 1: as predicted, or not known.
    double pace = 1;
    /// Asked where the node fits with no policy. Empty: nothing makes it smaller.
    SmallerWork smaller{};

    /// Where a component computes; `main`: what PlanRequest::device states.
    [[nodiscard]] DeviceSpec deviceOf(const ComponentTree& tree, const DeviceSpec& main) const;
    /// Where the node computes: with its first component.
    [[nodiscard]] DeviceSpec device(const DeviceSpec& main) const;
};

/// A device of the run and what may be used of it.
struct PlanDevice {
    DeviceSpec spec;
    DeviceTraits traits;  ///< capacity: the budget; 0: without a bound
    Bytes size = 0;       ///< the most that a budget may be; 0: without a bound
    DeviceProfile profile{};
    Bytes held = 0;       ///< that remains there whatever this run does
    Bytes droppable = 0;  ///< of `held`: goes before a run is refused
    std::string card{};   ///< that is planned for and need not be there; empty: it is opened
};

/// A component that an earlier run left on a device.
struct KeptComponent {
    std::string tree;    ///< its id
    std::string device;  ///< its id
    Bytes bytes = 0;
    std::string role{};
    std::string weights{};  ///< id of its tree as it was opened, whatever its types
    std::string base{};     ///< id of the tree that layers were composed into; empty: none
};

/// Host memory that an earlier run left pinned for copies of a component.
struct PinnedComponent {
    std::string tree;    ///< its id
    std::string device;  ///< id of the one that it is copied to
    Bytes bytes = 0;
};

struct PlanRequest {
    std::vector<NodeWork> nodes;
    DeviceSpec device;  ///< the run's device, for policies that name none
    std::vector<PlanDevice> devices;
    std::vector<KeptComponent> kept{};      ///< their bytes are among `held`
    std::vector<PinnedComponent> pinned{};  ///< their bytes are among the host's `held`
};

/// A component on one device for the length of a run.
struct PlannedComponent {
    std::shared_ptr<const ComponentTree> tree;
    DeviceSpec device;
    After after = After::Evict;  ///< of its last use
    NodeIndex lastUse = 0;
};

/// While a control node has sent a component away: after `from`, until `until` is entered.
struct Absence {
    NodeIndex from = 0;
    NodeIndex until = 0;  ///< beyond the residency's last node: it does not come back

    [[nodiscard]] bool covers(NodeIndex node) const { return from < node && node < until; }
};

/// A time during which a component holds device memory: from the entering of `first` to the
/// leaving of `last`, but for its absences.
struct ComponentInterval {
    uint32_t component = 0;  ///< index into Plan::components
    std::string planner;     ///< "none", "model", ...
    NodeIndex first = 0;
    NodeIndex last = 0;
    uint32_t slot = 0;        ///< index into Plan::slots
    bool isKept = false;      ///< remains on the device after the run
    bool alternates = false;  ///< with others of its node, in the same slot
    bool isThere = false;     ///< since an earlier run
    int64_t forwards = 0;     ///< over it; 0: not known
    std::vector<Absence> absences{};

    [[nodiscard]] bool isHeldAt(NodeIndex node) const;
};

/// How a component lies on its device, and what its forwards gain from.
struct ChosenLayout {
    std::shared_ptr<const Layout> layout;
    Bytes pinned = 0;      ///< host memory for what streams, read once; to the end of the run
    bool replays = false;  ///< forwards after the first are done from a record
};

/// An interval with the layout that holds in it.
struct PlannedResidency : ComponentInterval, ChosenLayout {};

/// Memory that is allocated when `first` is entered and given back when `last` was left.
/// Residencies that take turns share one.
struct PlannedSlot {
    DeviceSpec device;
    Bytes arenaBytes = 0;  ///< 0 where every weight is read where its file is mapped
    Bytes bytes = 0;       ///< most that its residencies take, in an arena or mapped
    NodeIndex first = 0;
    NodeIndex last = 0;
    std::vector<Absence> absences{};  ///< of the one residency that has it

    [[nodiscard]] bool isHeldAt(NodeIndex node) const;
};

/// One (node, component) of the plan: the policy that holds while that node runs.
struct PlannedUse {
    NodeIndex node = 0;
    uint32_t component = 0;  ///< index into Plan::components
    uint32_t residency = 0;  ///< index into Plan::residencies
    Policy policy;
};

/// What one stage takes on one device, in bytes.
struct StageBytes {
    std::string device;
    Bytes weights = 0;
    Bytes activations = 0;
    Bytes guessed = 0;  ///< of activations: the most that one operator was only guessed to take
    Bytes workspace = 0;
    Bytes wires = 0;
    Bytes staging = 0;
    Bytes held = 0;

    [[nodiscard]] Bytes total() const {
        return weights + activations + workspace + wires + staging + held;
    }

    Bytes slack = 0;  ///< DeviceTraits, where something lies there

    /// What must be free for it.
    [[nodiscard]] Bytes space() const { return total() + slack; }
};

struct StagePlan {
    std::string node;
    std::vector<StageBytes> bytes;      ///< per device of the run
    std::vector<uint32_t> residencies;  ///< that hold memory while the node runs
    Seconds seconds = 0;                ///< predicted, of the networks
    Seconds compute = 0;                ///< of it what they compute
    Bytes moved = 0;                    ///< predicted, to the device
    Bytes needed = 0;            ///< one copy of a resident, one for each use of other groups
    PatternsTraffic patterns{};  ///< predicted
};

struct DevicePlan {
    DeviceSpec device;
    Bytes capacity = 0;  ///< 0: without a bound
    Bytes peak = 0;      ///< predicted
    Bytes space = 0;     ///< the peak with the slack of the allocator: what must be free
    Bytes peakWeights = 0;
    /// Smallest capacity with which these policies can be kept, when what may go has gone: what is
    /// droppable, and components of earlier runs.
    Bytes minimum = 0;
    bool isRehearsal = false;  ///< times are those of the card that it plays
    std::string card{};        ///< that was planned for and need not be there; empty: it is there
    bool isEstimated = true;   ///< times are a guess
    std::string measuredOn{};  ///< the day on which its speeds were measured
};

/// The memory plan of a run: pure data, made before anything moves.
struct Plan {
    std::vector<PlannedComponent> components;
    std::vector<PlannedResidency> residencies;
    std::vector<PlannedSlot> slots;
    std::vector<PlannedUse> uses;
    std::vector<StagePlan> stages;
    std::vector<DevicePlan> devices;
    bool dropsHeld = false;                ///< it fits only when what is droppable has gone
    std::vector<KeptComponent> leaving{};  ///< of those kept: it fits only when they have gone
    /// Of what is pinned: the run does not fit next to it, or would have to pin less.
    std::vector<PinnedComponent> unpinned{};

    /// nullptr when the node does not use the tree.
    [[nodiscard]] const PlannedUse* use(NodeIndex node, const ComponentTree& tree) const;
    [[nodiscard]] const DevicePlan* device(const DeviceSpec& spec) const;
};

/// Why there is no plan: the node, what it needs, the cheapest change that helps.
struct Infeasible {
    std::string node;
    Bytes needed = 0;    ///< at least, on that device, with these policies
    Bytes minimum = 0;   ///< of the whole run on that device
    Bytes capacity = 0;  ///< what that device may hold
    Bytes budget = 0;    ///< of the run, with which it fits; 0: no budget helps
    std::string device;
    Message reason;
    Message cheapestFix;
    std::string fittingPolicy;  ///< of the node, with which it fits; empty: there is none
    /// Of the node, with whose value alone it fits and gives other results; empty: there is none.
    std::string fittingParam{};
    int64_t fittingValue = 0;
};

/// What a host may act on: node, device, needed, capacity, minimum, budget, policy, param, value
/// (docs/events.md).
[[nodiscard]] Json toJson(const Infeasible& infeasible);

/// Decides where every weight lives and when. Pure: the same request gives the same plan. What
/// earlier runs left makes no run fail: a plan that fits only without it states what has to go.
/// What is droppable goes first, then components that this run does not use, then those that it
/// uses. Errors: Error{Unsupported} names a policy that has no planner, Error{InvalidInput} a
/// refused combination.
[[nodiscard]] std::variant<Plan, Infeasible> makePlan(const PlanRequest& request);

[[nodiscard]] Json toJson(const Plan& plan);

/// "17.3 MiB": no less than `bytes` where it is read back as a budget.
[[nodiscard]] std::string formatAtLeast(Bytes bytes);

}  // namespace lowtide::memory
