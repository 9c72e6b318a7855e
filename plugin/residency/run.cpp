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
using memory::PlannedStay;

Run::Run(OpenDevices& devices,
         Bookkeeping& books,
         Leftovers& leftovers,
         std::shared_ptr<const memory::Plan> plan,
         StopToken stop)
    : devices_(devices),
      books_(books),
      leftovers_(leftovers),
      plan_(std::move(plan)),
      stop_(std::move(stop)),
      meter_(devices, books),
      clock_(devices, books, *plan_),
      arenas_(plan_->places.size()),
      stays_(plan_->stays.size()) {}

Run::~Run() {
    finish(memory::Outcome::Failed);
}

void Run::prepare(Masters files) {
    leftovers_.dropReleased();
    std::vector<std::string> trees;
    for (const PlannedComponent& planned : plan_->components) {
        trees.push_back(planned.tree->id);
    }
    for (const auto* stays : {&leftovers_.kept, &leftovers_.leased}) {
        for (const StayRef& stay : *stays) {
            trees.push_back(stay->tree().id);
        }
    }
    books_.masters.closeOthers(trees);
    for (const PlannedComponent& planned : plan_->components) {
        if (files == Masters::Check) {
            books_.masters.open(*planned.tree);
        } else {
            books_.masters.ensureOpen(*planned.tree);
        }
        static_cast<void>(devices_.get(planned.device));
    }
    adoptKept();
}

/// Kept components that the plan uses whole go into their first stay; those that it uses otherwise
/// leave now.
void Run::adoptKept() {
    std::vector<StayRef> remaining;
    for (StayRef& kept : leftovers_.kept) {
        const auto isOfKept = [&](const PlannedStay& stay) {
            const PlannedComponent& planned = plan_->components[stay.component];
            return planned.tree->id == kept->tree().id && planned.device.id() == kept->device().id;
        };
        const auto first = std::find_if(plan_->stays.begin(), plan_->stays.end(), isOfKept);
        if (first == plan_->stays.end()) {
            remaining.push_back(std::move(kept));
        } else if (first->isThere && first->layout->isInPlace == kept->layout().isInPlace) {
            kept->allowReplay(first->replays);
            stays_[static_cast<size_t>(first - plan_->stays.begin())] = std::move(kept);
        } else {
            kept->deactivate({});
            kept->device().drain();
        }
    }
    leftovers_.kept = std::move(remaining);
}

StayRef Run::makeStay(uint32_t index) {
    const PlannedStay& planned = plan_->stays[index];
    const PlannedComponent& component = plan_->components[planned.component];
    books_.masters.ensureOpen(*component.tree);  // a control node may have closed them
    auto stay = std::make_unique<Stay>(GroupPlace{.tree = component.tree,
                                                  .layout = planned.layout,
                                                  .device = devices_.get(component.device),
                                                  .books = books_,
                                                  .pinned = planned.pinned},
                                       planned.passes,
                                       planned.isKept);
    stay->allowReplay(planned.replays);
    return stay;
}

/// Its memory, where the plan has it: allocated when its first node is entered, or again after it
/// was given back early.
void Run::ensurePlace(uint32_t index) {
    const PlannedStay& planned = plan_->stays[index];
    StayRef& stay = stays_[index];
    stay = stay ? std::move(stay) : makeStay(index);
    if (stay->isActive() || planned.layout->arenaBytes() == 0) {
        return;
    }
    std::unique_ptr<CountedArena>& arena = arenas_[planned.place];
    if (!arena) {
        DeviceState& device = stay->device();
        arena = std::make_unique<CountedArena>(
            *device.device, device.id, plan_->places[planned.place].arenaBytes, books_.ledger);
        ActivationMeter::noteArena(device, arena->size());
    }
    stay->placeAt(arena->data());
}

void Run::activate(uint32_t index) {
    if (stays_[index] && stays_[index]->isActive()) {
        return;
    }
    endTurns(index);
    if (plan_->stays[index].takesTurns && plan_->stays[index].layout->isInPlace) {
        giveBackArena(index);  // the plan counts the mapped weights in its place
    }
    ensurePlace(index);
    books_.traffic.endPass();
    stays_[index]->activate(stop_, nodeName());
}

/// Of the stay's place, where nobody is active.
void Run::giveBackArena(uint32_t index) {
    const uint32_t place = plan_->stays[index].place;
    if (arenas_[place]) {
        DeviceState& device = devices_.get(plan_->places[place].device);
        device.device->drain();
        ActivationMeter::noteArena(device, -arenas_[place]->size());
        arenas_[place].reset();
    }
}

/// Of the stays at one place only one is there.
void Run::endTurns(uint32_t arriving) {
    const PlannedStay& own = plan_->stays[arriving];
    for (uint32_t index = 0; index < stays_.size(); ++index) {
        const StayRef& other = stays_[index];
        if (index == arriving || !other || !other->isActive() ||
            plan_->stays[index].place != own.place) {
            continue;
        }
        if (other->isLeased()) {
            throw Error(ErrorKind::Unsupported,
                        message("node {} uses {} while {} holds the place that both share",
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
    books_.ledger.event("enter", {}, nodeName(), {}, 0);
    meter_.start(nodeName());
    stop_.throwIfStopped();
    mappedOnHost_ = mappedAt(node, {.kind = memory::kHostId});
    setCaps(node);  // those of the node before leave no room for arenas in place of its maps
    for (const memory::PlannedUse& use : plan_->uses) {
        if (use.node == node) {
            ensurePlace(use.stay);
        }
    }
    for (uint32_t index = 0; index < plan_->stays.size(); ++index) {
        if (plan_->stays[index].first == node) {
            ensurePlace(index);
        }
    }
    for (const memory::PlannedUse& use : plan_->uses) {
        if (use.node == node && !plan_->stays[use.stay].takesTurns) {
            activate(use.stay);
        }
    }
    for (uint32_t index = 0; index < plan_->stays.size(); ++index) {
        const PlannedStay& stay = plan_->stays[index];
        if (stay.first == node && !stay.takesTurns) {
            activate(index);  // for a later node
        }
    }
}

/// What is allocated may not pass the budget; mapped pages are not allocated, and what is staged is
/// not allocated with tensors.
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
    for (const memory::PlannedPlace& place : plan_->places) {
        const bool counts = place.device.id() == device.id() && place.isHeldAt(node);
        mapped += counts ? place.bytes - place.arenaBytes : 0;
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
                        message("choose a tighter memory policy, or a smaller picture or batch"));
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
            books_.masters.requireUnchanged(*plan_->components[use.component].tree);
        }
    }
    for (const StayRef& stay : unplanned_) {
        books_.masters.requireUnchanged(stay->tree());
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
    for (uint32_t index = 0; index < stays_.size(); ++index) {
        StayRef& stay = stays_[index];
        if (!stay || !stay->isActive() || stay->isLeased() || !isNamed(stay->tree(), component)) {
            continue;
        }
        given += stay->layout().bytes();
        stay->deactivate(nodeName());
        stay->device().drain();
        giveBackArena(index);
        stay.reset();
    }
    for (const PlannedComponent& planned : plan_->components) {
        const bool isThere = findActive(*planned.tree) || leftovers_.hold(*planned.tree);
        if (dropHost && isNamed(*planned.tree, component) && !isThere) {
            books_.masters.close(*planned.tree);
        }
    }
    return given;
}

Stay& Run::broughtStay(const memory::ComponentTree& tree) {
    LOWTIDE_ASSERT(node_.has_value());
    if (const memory::PlannedUse* use = plan_->use(*node_, tree)) {
        if (!stays_[use->stay] || !stays_[use->stay]->isActive()) {
            activate(use->stay);
        }
        return *stays_[use->stay];
    }
    if (Stay* active = findActive(tree)) {
        return *active;
    }
    return unplannedStay(tree);
}

Stay& Run::broughtStay(const memory::ComponentTree& tree, memory::LeafId leaf) {
    Stay& stay = broughtStay(tree);
    if (stay.holds(leaf)) {
        return stay;
    }
    const auto own = std::find_if(unplanned_.begin(), unplanned_.end(), [&](const StayRef& each) {
        return each->tree().id == tree.id;
    });
    return own == unplanned_.end() ? unplannedStay(tree) : **own;
}

/// Leaf by leaf in memory of its own until the node is left: right, and as small as can be.
Stay& Run::unplannedStay(const memory::ComponentTree& tree) {
    const PlannedComponent& planned = anyPlanned(tree);
    DeviceState& device = devices_.get(planned.device);
    const memory::Policy policy{.name = "sequential"};
    const memory::DeviceTraits traits = device.device->traits();
    const memory::DeviceProfile profile = memory::estimatedProfile(planned.device.kind);
    auto layout = std::make_shared<const memory::Layout>(
        memory::findPlanner(policy.name)
            ->lay({.tree = *planned.tree, .traits = traits, .profile = profile, .policy = policy}));
    auto stay = std::make_unique<Stay>(
        GroupPlace{.tree = planned.tree, .layout = layout, .device = device, .books = books_},
        0,
        false);
    Bytes arenaBytes = 0;
    if (layout->arenaBytes() > 0) {
        auto arena = std::make_unique<CountedArena>(
            *device.device, device.id, layout->arenaBytes(), books_.ledger);
        arenaBytes = arena->size();
        stay->placeAt(arena->data());
        stay->own(std::move(arena));
    }
    stay->activate(stop_, nodeName());
    ActivationMeter::noteArena(device, arenaBytes);
    books_.traffic.addMiss();
    unplanned_.push_back(std::move(stay));
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
                message("the memory plan has no place for the component {} that node {} uses",
                        tree.role,
                        nodeName()));
}

Stay* Run::findActive(const memory::ComponentTree& tree) noexcept {
    for (const StayRef& stay : stays_) {
        if (stay && stay->isActive() && stay->tree().id == tree.id) {
            return stay.get();
        }
    }
    for (const StayRef& stay : unplanned_) {
        if (stay->tree().id == tree.id) {
            return stay.get();
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
