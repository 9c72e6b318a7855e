#include "plugin/memory/plan.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/ladder.hpp"
#include "plugin/memory/plan_clearing.hpp"
#include "plugin/memory/plan_stays.hpp"
#include "plugin/memory/plan_times.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace lowtide::memory {

namespace {

/// The first pass is computed, and taking the second down costs about as much as computing it.
constexpr int64_t kLeastReplayed = 4;
constexpr Bytes kUnbounded = std::numeric_limits<Bytes>::max() / 4;

/// Gives sizes to a sketch: the smallest layouts first, then what more the room allows.
class Sizer {
public:
    Sizer(const PlanRequest& request, StaySketch sketch)
        : request_(request), planners_(std::move(sketch.planners)), plan_(std::move(sketch.plan)) {
        for (PlannedStay& stay : plan_.stays) {
            stay.passes = passesOf(stay);
        }
        makePlaces();
    }

    /// Every layout as small as its policy allows.
    void makeSmallest() {
        for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
            lay(stay, 0);
        }
        measure();
        for (const DevicePlan& device : plan_.devices) {
            minimums_[device.device.id()] = device.peak;
        }
    }

    void makeLargest() {
        for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
            lay(stay, kUnbounded);
        }
        measure();
    }

    /// Lets stays grow into what room their nodes leave, the first ones first.
    void grow() {
        for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
            lay(stay, roomFor(plan_.stays[stay]));
            measure();
        }
    }

    /// Host memory for what streams again and again, out of what the host's budget leaves.
    void pin() {
        for (PlannedStay& stay : plan_.stays) {
            if (const Bytes wanted = pinnable(stay); wanted > 0) {
                stay.pinned = std::clamp<Bytes>(leftOn({.kind = "cpu"}, stay), 0, wanted);
                measure();
            }
        }
    }

    /// Where nothing of a component moves between its passes, they can be done from a record. It
    /// keeps the memory of a pass beside what its nodes compute otherwise: only where there is
    /// room.
    void chooseReplays() {
        for (PlannedStay& stay : plan_.stays) {
            const auto& groups = stay.layout->groups;
            const bool isStill = std::all_of(
                groups.begin(), groups.end(), [](const Group& each) { return each.isResident; });
            if (isStill && !stay.takesTurns && deviceOfStay(stay).traits.replays &&
                mostPassesOf(stay) >= kLeastReplayed) {
                stay.replays = true;
                measure();
                stay.replays = leftOn(deviceOfStay(stay).spec, stay) >= 0;
                if (!stay.replays) {
                    measure();
                }
            }
        }
    }

    [[nodiscard]] std::optional<Infeasible> firstTooLarge() const {
        for (const StagePlan& stage : plan_.stages) {
            for (const StageBytes& bytes : stage.bytes) {
                const DevicePlan& device = *find(bytes.device);
                if (device.capacity > 0 && bytes.total() > device.capacity) {
                    return Infeasible{.node = stage.node,
                                      .needed = bytes.total(),
                                      .minimum = device.peak,
                                      .device = bytes.device,
                                      .reason = reasonOf(bytes, device)};
                }
            }
        }
        return std::nullopt;
    }

    void predictTimes() {
        for (uint32_t stay = 0; stay < plan_.stays.size(); ++stay) {
            predictStay(plan_, request_, stay);
        }
    }

    [[nodiscard]] const Plan& plan() const { return plan_; }

    [[nodiscard]] Plan take() {
        for (DevicePlan& device : plan_.devices) {
            device.minimum =
                minimums_[device.device.id()] - deviceOf(request_, device.device).droppable;
        }
        return std::move(plan_);
    }

    void takeMinimumsOf(const Sizer& smallest) { minimums_ = smallest.minimums_; }

private:
    /// In one node.
    int64_t mostPassesOf(const PlannedStay& stay) const {
        int64_t most = 0;
        for (const PlannedUse& use : plan_.uses) {
            const ComponentWork* work = isOf(stay, use) ? workOfUse(use) : nullptr;
            most = std::max(most, work ? work->passes : 0);
        }
        return most;
    }

    /// What records keep while the node runs.
    Bytes recordsAt(NodeIndex node, const std::string& device) const {
        const NodeWork& work = request_.nodes[node];
        Bytes bytes = 0;
        for (const PlannedUse& use : plan_.uses) {
            const bool counts = use.node == node && plan_.stays[use.stay].replays &&
                                plan_.components[use.component].device.id() == device;
            bytes += counts ? work.work.activations +
                                  deviceOfStay(plan_.stays[use.stay]).traits.workspace
                            : 0;
        }
        return bytes;
    }

    /// What of the stay's bytes comes in every pass, as far as it may be pinned.
    Bytes pinnable(const PlannedStay& stay) const {
        if (stay.layout->isInPlace || stay.passes == 1) {
            return 0;
        }
        Bytes streamed = 0;
        for (const Group& group : stay.layout->groups) {
            streamed += group.isResident ? 0 : group.bytes;
        }
        if (const std::optional<Bytes> cap = useOf(stay).policy.pinCap) {
            return std::min(streamed, *cap);
        }
        Bytes left = deviceOfStay(stay).traits.pinnable;
        for (const PlannedStay& other : plan_.stays) {
            const bool isBeside = other.first <= stay.last && stay.first <= other.last;
            left -= &other < &stay && isBeside ? other.pinned : 0;
        }
        return std::clamp<Bytes>(left, 0, streamed);
    }

    /// What the nodes that hold the stay leave of a device.
    Bytes leftOn(const DeviceSpec& spec, const PlannedStay& stay) const {
        const DevicePlan* device = plan_.device(spec);
        const bool isBounded = device && device->capacity > 0;
        Bytes left = kUnbounded;
        for (NodeIndex node = stay.first; isBounded && node <= stay.last; ++node) {
            for (const StageBytes& bytes : plan_.stages[node].bytes) {
                if (bytes.device == spec.id() && stay.isHeldAt(node)) {
                    left = std::min(left, device->capacity - bytes.total());
                }
            }
        }
        return left;
    }

    /// The first use of the stay: its policy holds.
    const PlannedUse& useOf(const PlannedStay& stay) const {
        return *std::find_if(plan_.uses.begin(), plan_.uses.end(), [&](const PlannedUse& each) {
            return isOf(stay, each);
        });
    }

    bool isOf(const PlannedStay& stay, const PlannedUse& use) const {
        return &plan_.stays[use.stay] == &stay;
    }

    const ComponentWork* workOfUse(const PlannedUse& use) const {
        return workOf(request_.nodes[use.node], *plan_.components[use.component].tree);
    }

    int64_t passesOf(const PlannedStay& stay) const {
        int64_t passes = 0;
        for (const PlannedUse& use : plan_.uses) {
            if (isOf(stay, use)) {
                const ComponentWork* work = workOfUse(use);
                if (!work) {
                    return 0;
                }
                passes += work->passes;
            }
        }
        return passes;
    }

    const PlanDevice& deviceOfStay(const PlannedStay& stay) const {
        return deviceOf(request_, plan_.components[stay.component].device);
    }

    void makePlaces() {
        for (PlannedStay& stay : plan_.stays) {
            const DeviceSpec& device = plan_.components[stay.component].device;
            const auto shared =
                std::find_if(plan_.stays.begin(), plan_.stays.end(), [&](const PlannedStay& other) {
                    return &other < &stay && stay.takesTurns && other.takesTurns &&
                           other.first == stay.first &&
                           plan_.components[other.component].device.id() == device.id();
                });
            if (shared != plan_.stays.end()) {
                stay.place = shared->place;
                continue;
            }
            stay.place = static_cast<uint32_t>(plan_.places.size());
            plan_.places.push_back({.device = device,
                                    .first = stay.first,
                                    .last = stay.last,
                                    .absences = stay.absences});
        }
    }

    void lay(uint32_t index, Bytes room) {
        PlannedStay& stay = plan_.stays[index];
        const PlanDevice& device = deviceOfStay(stay);
        const PlannedUse& use = useOf(stay);
        const ComponentTree& tree = *plan_.components[stay.component].tree;
        const Bytes limit = stay.isThere ? kUnbounded : room;  // what is there is whole
        stay.layout = std::make_shared<const Layout>(
            planners_[index]->lay({.tree = tree,
                                   .traits = device.traits,
                                   .profile = device.profile,
                                   .policy = use.policy,
                                   .work = workOf(request_.nodes[use.node], tree),
                                   .room = limit}));
    }

    /// What the stay may take: at each of its nodes, what the others leave.
    Bytes roomFor(const PlannedStay& stay) const {
        return leftOn(deviceOfStay(stay).spec, stay) + plan_.places[stay.place].bytes;
    }

    void measure() {
        for (PlannedPlace& place : plan_.places) {
            place.bytes = 0;
            place.arenaBytes = 0;
        }
        for (const PlannedStay& stay : plan_.stays) {
            PlannedPlace& place = plan_.places[stay.place];
            place.bytes = std::max(place.bytes, stay.layout->bytes());
            place.arenaBytes = std::max(place.arenaBytes, stay.layout->arenaBytes());
        }
        plan_.devices.clear();
        for (const PlanDevice& device : request_.devices) {
            plan_.devices.push_back({.device = device.spec,
                                     .capacity = device.traits.capacity,
                                     .isRehearsal = device.traits.isRehearsal,
                                     .card = device.card,
                                     .isEstimated = device.profile.isEstimated(),
                                     .measuredOn = device.profile.measuredOn});
        }
        plan_.stages.clear();
        for (NodeIndex node = 0; node < request_.nodes.size(); ++node) {
            plan_.stages.push_back(measureStage(node));
        }
    }

    StagePlan measureStage(NodeIndex node) {
        const NodeWork& work = request_.nodes[node];
        StagePlan stage{.node = work.node};
        for (uint32_t index = 0; index < plan_.stays.size(); ++index) {
            if (plan_.stays[index].isHeldAt(node)) {
                stage.stays.push_back(index);
            }
        }
        for (DevicePlan& device : plan_.devices) {
            const std::string id = device.device.id();
            StageBytes bytes{.device = id, .held = heldOn(device.device, node)};
            for (const PlannedPlace& place : plan_.places) {
                const bool counts = place.device.id() == id && place.isHeldAt(node);
                bytes.weights += counts ? place.bytes : 0;
            }
            if (computesOn(node, id)) {
                bytes.activations = work.work.activations + recordsAt(node, id);
                bytes.guessed = work.work.guessed;
                bytes.workspace =
                    work.work.workspace + deviceOf(request_, device.device).traits.workspace;
            }
            const auto wires = work.wires.find(id);
            bytes.wires = wires == work.wires.end() ? 0 : wires->second;
            bytes.staging = id == "cpu" ? stagingAt(node) : 0;
            device.peak = std::max(device.peak, bytes.total());
            device.peakWeights = std::max(device.peakWeights, bytes.weights);
            stage.bytes.push_back(std::move(bytes));
        }
        return stage;
    }

    /// The host's memory for copies: scratch for conversions, one for each device that got
    /// converted weights so far; what devices are lent from their first copy on; what is pinned.
    Bytes stagingAt(NodeIndex node) const {
        std::set<std::string> devices;
        std::map<std::string, Bytes> lent;
        Bytes pinned = 0;
        for (const PlannedStay& stay : plan_.stays) {
            pinned += stay.isHeldAt(node) ? stay.pinned : 0;
            if (stay.first > node) {
                continue;
            }
            const PlannedComponent& component = plan_.components[stay.component];
            if (stay.layout->arenaBytes() > 0) {
                lent[component.device.id()] = deviceOfStay(stay).traits.staging;
            }
            const auto& groups = stay.layout->groups;
            const bool isConverted =
                std::any_of(groups.begin(), groups.end(), [](const Group& group) {
                    return group.convertedBytes > 0;
                });
            if (isConverted) {
                devices.insert(component.device.id());
            }
        }
        for (const auto& [device, bytes] : lent) {
            pinned += bytes;
        }
        return pinned + static_cast<Bytes>(devices.size()) * kConversionScratch;
    }

    /// Without the kept components that this run uses: they are among its stays, or go at once.
    Bytes heldOn(const DeviceSpec& device, NodeIndex node) const {
        Bytes held = deviceOf(request_, device).held;
        for (const KeptComponent& kept : request_.kept) {
            const bool isUsed = std::any_of(
                plan_.components.begin(), plan_.components.end(), [&](const auto& component) {
                    return component.tree->id == kept.tree && component.device.id() == kept.device;
                });
            const bool leaves = isUsed || isOffloadedBefore(request_, kept, node);
            held -= leaves && kept.device == device.id() ? kept.bytes : 0;
        }
        return held;
    }

    /// A stage without networks computes on the device of its node.
    bool computesOn(NodeIndex node, const std::string& id) const {
        bool hasUse = false;
        for (const PlannedUse& use : plan_.uses) {
            if (use.node == node) {
                hasUse = true;
                if (plan_.components[use.component].device.id() == id) {
                    return true;
                }
            }
        }
        const DeviceSpec own = request_.nodes[node].policy.device.value_or(request_.device);
        return !hasUse && own.id() == id;
    }

    const DevicePlan* find(const std::string& id) const {
        return &*std::find_if(plan_.devices.begin(), plan_.devices.end(), [&](const auto& each) {
            return each.device.id() == id;
        });
    }

    static std::string reasonOf(const StageBytes& bytes, const DevicePlan& device) {
        std::string text =
            formatBytes(bytes.weights) + " of weights, " +
            formatBytes(bytes.activations + bytes.workspace) + " of activations and " +
            formatBytes(bytes.wires + bytes.staging + bytes.held) + " of other values";
        return text + " do not fit into " + formatBytes(device.capacity) + " on " + bytes.device +
               (device.card.empty() ? "" : " (planned for " + device.card + ")");
    }

    const PlanRequest& request_;
    std::vector<const PlannerType*> planners_;
    Plan plan_;
    std::map<std::string, Bytes> minimums_;  ///< per device
};

/// What the node of `place` needs on a device with the smallest layouts.
Bytes smallestOf(const PlanRequest& request, size_t place, const std::string& device) {
    Sizer sizer(request, sketchStays(request, false));
    sizer.makeSmallest();
    const std::vector<StageBytes>& bytes = sizer.plan().stages[place].bytes;
    return std::find_if(bytes.begin(),
                        bytes.end(),
                        [&](const StageBytes& each) { return each.device == device; })
        ->total();
}

/// The smallest change with which the run fits: of the node's policy where one helps.
void findCheapestFix(const PlanRequest& request, Infeasible& infeasible) {
    PlanRequest changed = request;
    const auto node = std::find_if(changed.nodes.begin(),
                                   changed.nodes.end(),
                                   [&](const auto& each) { return each.node == infeasible.node; });
    const auto place = static_cast<size_t>(node - changed.nodes.begin());
    const Policy& own = request.nodes[place].policy;
    const PlanDevice& device = deviceOf(request, parseDeviceSpec(infeasible.device));
    const Bytes capacity = device.traits.capacity;
    infeasible.capacity = capacity;
    const bool isOfRun = infeasible.device == request.device.id();  // a budget bounds no other
    if (isOfRun && (device.size == 0 || infeasible.minimum <= device.size)) {
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
        const Bytes needed = smallestOf(changed, place, infeasible.device);
        if (needed <= capacity) {
            infeasible.fittingPolicy = name;
            infeasible.cheapestFix = "set the memory policy of " + infeasible.node +
                                     (own.components.empty() ? "" : " and of its components") +
                                     " to " + infeasible.fittingPolicy + ": it then needs " +
                                     formatBytes(needed);
            return;
        }
    }
    const std::string room = "a smaller picture or batch";
    infeasible.cheapestFix =
        infeasible.budget > 0
            ? "give a budget of at least " + formatAtLeast(infeasible.budget) + ", or " + room
        : isOfRun ? "choose " + room
                  : "free " + formatBytes(infeasible.minimum - capacity) + " of " +
                        infeasible.device + " memory, or choose " + room;
    infeasible.cheapestFix +=
        infeasible.device == "cpu" ? "" : ", or compute the node on the cpu (@cpu)";
}

std::variant<Plan, Infeasible> planWith(const PlanRequest& request) {
    Sizer smallest(request, sketchStays(request, false));
    smallest.makeSmallest();
    Sizer roomy(request, sketchStays(request, true));
    roomy.makeLargest();
    if (!roomy.firstTooLarge()) {
        roomy.takeMinimumsOf(smallest);
        roomy.chooseReplays();
        roomy.pin();
        roomy.predictTimes();
        return roomy.take();
    }
    if (std::optional<Infeasible> infeasible = smallest.firstTooLarge()) {
        return *std::move(infeasible);
    }
    smallest.grow();
    smallest.chooseReplays();
    smallest.pin();
    smallest.predictTimes();
    return smallest.take();
}

/// What kept components take beside a plan's smallest layouts depends on when they leave.
void findMinimums(const PlanRequest& request, Plan& plan) {
    PlanClearing clearing(request);
    clearing.clearAll();
    Sizer sizer(clearing.request(), sketchStays(clearing.request(), false));
    sizer.makeSmallest();
    for (size_t i = 0; i < plan.devices.size(); ++i) {
        plan.devices[i].minimum = sizer.plan().devices[i].peak;
    }
}

}  // namespace

std::variant<Plan, Infeasible> makePlan(const PlanRequest& request) {
    PlanClearing clearing(request);
    auto planned = planWith(clearing.request());
    const auto* refusal = std::get_if<Infeasible>(&planned);
    while (refusal && clearing.clearMore(refusal->device)) {
        planned = planWith(clearing.request());
        refusal = std::get_if<Infeasible>(&planned);
    }
    if (auto* infeasible = std::get_if<Infeasible>(&planned)) {
        findCheapestFix(clearing.request(), *infeasible);
        return planned;
    }
    auto& plan = std::get<Plan>(planned);
    clearing.tell(plan);
    if (!request.kept.empty()) {
        findMinimums(request, plan);
    }
    return planned;
}

std::string formatAtLeast(Bytes bytes) {
    const auto [unit, name] = bytes >= kGiB   ? std::pair(kGiB, " GiB")
                              : bytes >= kMiB ? std::pair(kMiB, " MiB")
                                              : std::pair(kKiB, " KiB");
    const Bytes tenths = bytes / unit * 10 + (bytes % unit * 10 + unit - 1) / unit;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + name;
}

}  // namespace lowtide::memory
