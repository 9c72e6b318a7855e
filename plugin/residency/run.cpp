#include "plugin/residency/run.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/device_kind.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/residency/mutant.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

using memory::NodeIndex;
using memory::PlannedComponent;
using memory::PlannedResidency;

Run::Run(OpenDevices& devices,
         Accounting& accounting,
         Leftovers& leftovers,
         std::shared_ptr<const memory::Plan> plan,
         StopToken stop)
    : devices_(devices),
      accounting_(accounting),
      leftovers_(leftovers),
      plan_(std::move(plan)),
      stop_(std::move(stop)),
      meter_(devices, accounting),
      clock_(devices, accounting, *plan_),
      arenas_(plan_->slots.size()),
      residencies_(plan_->residencies.size()) {}

Run::~Run() {
    finish(memory::Outcome::Failed);
}

void Run::prepare(WeightFiles files) {
    leftovers_.dropReleased();
    std::vector<std::string> trees;
    for (const PlannedComponent& planned : plan_->components) {
        trees.push_back(planned.tree->id);
    }
    for (const auto* residencies : {&leftovers_.kept, &leftovers_.leased}) {
        for (const ComponentResidencyRef& residency : *residencies) {
            trees.push_back(residency->tree().id);
        }
    }
    accounting_.hostWeights.closeOthers(trees);
    for (const PlannedComponent& planned : plan_->components) {
        if (files == WeightFiles::Check) {
            accounting_.hostWeights.open(*planned.tree);
        } else {
            accounting_.hostWeights.ensureOpen(*planned.tree);
        }
        static_cast<void>(devices_.get(planned.device));
    }
    adoptKept();
}

/// Kept components that the plan uses whole go into their first residency; those that it uses
/// otherwise leave now.
void Run::adoptKept() {
    std::vector<ComponentResidencyRef> remaining;
    for (ComponentResidencyRef& kept : leftovers_.kept) {
        const auto isOfKept = [&](const PlannedResidency& residency) {
            const PlannedComponent& planned = plan_->components[residency.component];
            return planned.tree->id == kept->tree().id && planned.device.id() == kept->device().id;
        };
        const auto first =
            std::find_if(plan_->residencies.begin(), plan_->residencies.end(), isOfKept);
        if (first == plan_->residencies.end()) {
            remaining.push_back(std::move(kept));
        } else if (first->isThere && first->layout->isInPlace == kept->layout().isInPlace) {
            kept->allowReplay(first->replays);
            residencies_[static_cast<size_t>(first - plan_->residencies.begin())] = std::move(kept);
        } else {
            kept->deactivate({});
            kept->device().drain();
        }
    }
    leftovers_.kept = std::move(remaining);
}

ComponentResidencyRef Run::makeResidency(uint32_t index) {
    const PlannedResidency& planned = plan_->residencies[index];
    const PlannedComponent& component = plan_->components[planned.component];
    accounting_.hostWeights.ensureOpen(*component.tree);  // a control node may have closed them
    auto residency =
        std::make_unique<ComponentResidency>(GroupContext{.tree = component.tree,
                                                          .layout = planned.layout,
                                                          .device = devices_.get(component.device),
                                                          .accounting = accounting_,
                                                          .pinned = planned.pinned},
                                             planned.forwards,
                                             planned.isKept);
    residency->allowReplay(planned.replays);
    return residency;
}

/// Its memory, where the plan has it: allocated when its first node is entered, or again after it
/// was given back early.
void Run::ensureArena(uint32_t index) {
    const PlannedResidency& planned = plan_->residencies[index];
    ComponentResidencyRef& residency = residencies_[index];
    residency = residency ? std::move(residency) : makeResidency(index);
    if (residency->isActive() || planned.layout->arenaBytes() == 0) {
        return;
    }
    std::unique_ptr<CountedArena>& arena = arenas_[planned.slot];
    if (!arena) {
        DeviceState& device = residency->device();
        arena = std::make_unique<CountedArena>(
            *device.device, device.id, plan_->slots[planned.slot].arenaBytes, accounting_.ledger);
        ActivationMeter::noteArena(device, arena->size());
    }
    residency->bindTo(arena->data());
}

void Run::activate(uint32_t index) {
    if (residencies_[index] && residencies_[index]->isActive()) {
        return;
    }
    endAlternation(index);
    if (plan_->residencies[index].alternates && plan_->residencies[index].layout->isInPlace) {
        giveBackArena(index);  // the plan counts the mapped weights in its place
    }
    ensureArena(index);
    accounting_.traffic.endForward();
    residencies_[index]->activate(stop_, nodeName());
}

/// Of the residency's slot, where nobody is active.
void Run::giveBackArena(uint32_t index) {
    const uint32_t slot = plan_->residencies[index].slot;
    if (arenas_[slot]) {
        DeviceState& device = devices_.get(plan_->slots[slot].device);
        device.device->drain();
        ActivationMeter::noteArena(device, -arenas_[slot]->size());
        arenas_[slot].reset();
    }
}

/// Of the residencies in one slot only one is there.
void Run::endAlternation(uint32_t arriving) {
    const PlannedResidency& own = plan_->residencies[arriving];
    for (uint32_t index = 0; index < residencies_.size(); ++index) {
        const ComponentResidencyRef& other = residencies_[index];
        if (index == arriving || !other || !other->isActive() ||
            plan_->residencies[index].slot != own.slot) {
            continue;
        }
        if (other->isLeased()) {
            throw Error(ErrorKind::Unsupported,
                        message("node {} uses {} while {} holds the slot that both share",
                                nodeName(),
                                plan_->components[own.component].tree->role,
                                other->tree().role),
                        message("set the memory policy of one of them to none"));
        }
        other->deactivate(nodeName());
    }
}

/// Every device counts the tensors of this thread, and that of the node is the thread's current
/// one, which calls of a runtime go to that name none.
void Run::attachTo(NodeIndex node) {
    for (const auto& [id, device] : devices_.working()) {
        device->unlessLost([&state = *device] { state.device->attachThread(); });
    }
    for (const memory::PlannedUse& use : plan_->uses) {
        if (use.node == node) {
            devices_.get(plan_->components[use.component].device).device->attachThread();
            return;
        }
    }
}

void Run::enter(NodeIndex node) {
    node_ = node;
    attachTo(node);
    clock_.start();
    for (const auto& [id, device] : devices_.working()) {
        device->unlessLost([&state = *device] {
            state.failuresAtEnter = state.device->allocatorState().outOfMemory;
        });
    }
    accounting_.ledger.event("enter", {}, nodeName(), {}, 0);
    meter_.start(nodeName());
    stop_.throwIfStopped();
    mappedOnHost_ = mappedAt(node, {.kind = memory::kHostId});
    setCaps(node);  // those of the node before leave no space for arenas in place of its maps
    for (const memory::PlannedUse& use : plan_->uses) {
        if (use.node == node) {
            ensureArena(use.residency);
        }
    }
    for (uint32_t index = 0; index < plan_->residencies.size(); ++index) {
        if (plan_->residencies[index].first == node) {
            ensureArena(index);
        }
    }
    for (const memory::PlannedUse& use : plan_->uses) {
        if (use.node == node && !plan_->residencies[use.residency].alternates) {
            activate(use.residency);
        }
    }
    for (uint32_t index = 0; index < plan_->residencies.size(); ++index) {
        const PlannedResidency& residency = plan_->residencies[index];
        if (residency.first == node && !residency.alternates) {
            activate(index);  // for a later node
        }
    }
}

/// What is allocated may not exceed the budget; mapped pages are not allocated, and what is staged
/// is not allocated with tensors.
void Run::setCaps(NodeIndex node) {
    for (const memory::DevicePlan& device : plan_->devices) {
        if (isMutant(Mutant::CapDropped)) {
            break;
        }
        const Bytes aside = mappedAt(node, device.device) + stagedAt(node, device.device);
        const Bytes most = std::max<Bytes>(0, device.capacity - aside);
        devices_.get(device.device).device->cap(device.capacity > 0 ? most : -1);
    }
}

Bytes Run::stagedAt(NodeIndex node, const memory::DeviceSpec& device) const {
    for (const memory::StageBytes& bytes : plan_->stages[node].bytes) {
        if (bytes.device == device.id()) {
            return bytes.staging;
        }
    }
    return 0;
}

Bytes Run::mappedAt(NodeIndex node, const memory::DeviceSpec& device) const {
    Bytes mapped = 0;
    for (const memory::PlannedSlot& slot : plan_->slots) {
        const bool counts = slot.device.id() == device.id() && slot.isHeldAt(node);
        mapped += counts ? slot.bytes - slot.arenaBytes : 0;
    }
    return mapped;
}

/// cuDNN answers a failed allocation with another algorithm, whose bits are others.
void Run::requireNoFailedAllocation() const {
    for (const auto& [id, device] : devices_.working()) {
        if (device->device->allocatorState().outOfMemory > device->failuresAtEnter) {
            throw Error(ErrorKind::OutOfMemory,
                        message("an allocation on {} failed while {} computed, and a library went "
                                "on in another way: its result may differ from that of other runs",
                                id,
                                nodeName()),
                        message("choose a tighter memory policy, or a smaller image or batch"));
        }
    }
}

/// A node ends when its device is done: times, errors and failed allocations are its own.
void Run::confirm(NodeIndex node) const {
    for (const auto& [id, device] : devices_.working()) {
        device->device->finishCompute();
    }
    requireDevices();
    requireNoFailedAllocation();
    for (const memory::PlannedUse& use : plan_->uses) {
        if (use.node == node) {
            accounting_.hostWeights.requireUnchanged(*plan_->components[use.component].tree);
        }
    }
    for (const ComponentResidencyRef& residency : unplanned_) {
        accounting_.hostWeights.requireUnchanged(residency->tree());
    }
}

void Run::requireDevices() const {
    for (const auto& [id, device] : devices_.all()) {
        const bool isPlanned = std::any_of(
            plan_->components.begin(),
            plan_->components.end(),
            [&id = id](const PlannedComponent& planned) { return planned.device.id() == id; });
        if (isPlanned || plan_->device(device->spec)) {
            device->check();
            device->requireWorking();
        }
    }
}

Bytes Run::offload(std::string_view component, bool dropHost) {
    Bytes given = 0;
    for (uint32_t index = 0; index < residencies_.size(); ++index) {
        ComponentResidencyRef& residency = residencies_[index];
        if (!residency || !residency->isActive() || residency->isLeased() ||
            !isNamed(residency->tree(), component)) {
            continue;
        }
        given += residency->layout().bytes();
        residency->deactivate(nodeName());
        residency->device().drain();
        giveBackArena(index);
        residency.reset();
    }
    for (const PlannedComponent& planned : plan_->components) {
        const bool isThere = findActive(*planned.tree) || leftovers_.hold(*planned.tree);
        if (dropHost && isNamed(*planned.tree, component) && !isThere) {
            accounting_.hostWeights.close(*planned.tree);
        }
    }
    return given;
}

ComponentResidency& Run::broughtResidency(const memory::ComponentTree& tree) {
    LOWTIDE_ASSERT(node_.has_value());
    if (const memory::PlannedUse* use = plan_->use(*node_, tree)) {
        if (!residencies_[use->residency] || !residencies_[use->residency]->isActive()) {
            activate(use->residency);
        }
        return *residencies_[use->residency];
    }
    if (ComponentResidency* active = findActive(tree)) {
        return *active;
    }
    return unplannedResidency(tree);
}

ComponentResidency& Run::broughtResidency(const memory::ComponentTree& tree, memory::LeafId leaf) {
    ComponentResidency& residency = broughtResidency(tree);
    if (residency.holds(leaf)) {
        return residency;
    }
    const auto own =
        std::find_if(unplanned_.begin(), unplanned_.end(), [&](const ComponentResidencyRef& each) {
            return each->tree().id == tree.id;
        });
    return own == unplanned_.end() ? unplannedResidency(tree) : **own;
}

/// Leaf by leaf in memory of its own until the node is left: right, and as small as can be.
ComponentResidency& Run::unplannedResidency(const memory::ComponentTree& tree) {
    const PlannedComponent& planned = anyPlanned(tree);
    DeviceState& device = devices_.get(planned.device);
    const memory::Policy policy{.name = "sequential"};
    const memory::DeviceTraits traits = device.device->traits();
    const memory::DeviceProfile profile = memory::estimatedProfile(planned.device.kind);
    auto layout = std::make_shared<const memory::Layout>(
        memory::findPlanner(policy.name)
            ->lay({.tree = *planned.tree, .traits = traits, .profile = profile, .policy = policy}));
    auto residency = std::make_unique<ComponentResidency>(
        GroupContext{
            .tree = planned.tree, .layout = layout, .device = device, .accounting = accounting_},
        0,
        false);
    Bytes arenaBytes = 0;
    if (layout->arenaBytes() > 0) {
        auto arena = std::make_unique<CountedArena>(
            *device.device, device.id, layout->arenaBytes(), accounting_.ledger);
        arenaBytes = arena->size();
        residency->bindTo(arena->data());
        residency->own(std::move(arena));
    }
    residency->activate(stop_, nodeName());
    ActivationMeter::noteArena(device, arenaBytes);
    accounting_.traffic.addMiss();
    unplanned_.push_back(std::move(residency));
    return *unplanned_.back();
}

const PlannedComponent& Run::anyPlanned(const memory::ComponentTree& tree) const {
    if (const memory::PlannedUse* use = plan_->use(*node_, tree)) {
        return plan_->components[use->component];
    }
    for (const PlannedComponent& planned : plan_->components) {
        if (planned.tree->id == tree.id) {
            return planned;
        }
    }
    throw Error(ErrorKind::Internal,
                message("the memory plan has no slot for the component {} that node {} uses",
                        tree.role,
                        nodeName()));
}

ComponentResidency* Run::findActive(const memory::ComponentTree& tree) noexcept {
    for (const ComponentResidencyRef& residency : residencies_) {
        if (residency && residency->isActive() && residency->tree().id == tree.id) {
            return residency.get();
        }
    }
    for (const ComponentResidencyRef& residency : unplanned_) {
        if (residency->tree().id == tree.id) {
            return residency.get();
        }
    }
    return nullptr;
}

DeviceState& Run::deviceOf(const memory::ComponentTree& tree) {
    LOWTIDE_ASSERT(node_.has_value());
    return devices_.get(anyPlanned(tree).device);
}

const std::string& Run::nodeName() const {
    static const std::string kNobody;
    return node_ && *node_ < plan_->stages.size() ? plan_->stages[*node_].node : kNobody;
}

}  // namespace lowtide::residency
