#include "plugin/residency/run.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

using memory::After;
using memory::NodeIndex;
using memory::PlannedComponent;
using memory::Tag;

namespace {

/// What the planner of this component says: one region for all such components, or a place of its
/// own.
bool isPlannedToShare(const PlannedComponent& planned, const memory::DeviceTraits& traits) {
    const auto planners = memory::planners();
    const auto found = std::find_if(planners.begin(), planners.end(), [&](const auto& planner) {
        return planner.name == planned.planner;
    });
    LOWTIDE_ASSERT(found != planners.end());
    return found->place(*planned.tree, traits).sharesRegion;
}

bool isOf(const ComponentState& component, const PlannedComponent& planned) {
    return component.tree().id == planned.tree->id && component.device().id == planned.device.id();
}

}  // namespace

Run::Run(OpenDevices& devices,
         Bookkeeping& books,
         std::vector<ComponentRef>& kept,
         std::shared_ptr<const memory::Plan> plan,
         StopToken stop)
    : devices_(devices),
      books_(books),
      kept_(kept),
      plan_(std::move(plan)),
      stop_(std::move(stop)) {}

Run::~Run() {
    finish(memory::Outcome::Failed);
}

void Run::prepare() {
    std::vector<std::string> trees;
    for (const PlannedComponent& planned : plan_->components) {
        trees.push_back(planned.tree->id);
    }
    for (const ComponentRef& component : kept_) {
        trees.push_back(component->tree().id);
    }
    books_.masters.closeOthers(trees);
    for (const PlannedComponent& planned : plan_->components) {
        books_.masters.open(*planned.tree);
        adoptOrMake(planned);
    }
    for (const auto& [id, device] : devices_.all()) {
        device->device->attachThread();
        allocateArena(*device);
    }
}

/// A component that is kept, or is to be kept, has an arena of its own, which can outlive the run.
void Run::adoptOrMake(const PlannedComponent& planned) {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const ComponentRef& component) {
        return isOf(*component, planned);
    });
    if (known != kept_.end()) {
        members_.push_back({std::move(*known), false});
        kept_.erase(known);
        return;
    }
    DeviceState& device = devices_.get(planned.device);
    const bool isToKeep = planned.after == After::Keep;
    const bool shares = !isToKeep && isPlannedToShare(planned, device.device->traits());
    members_.push_back({std::make_unique<ComponentState>(planned.tree, device, books_), shares});
    if (isToKeep) {
        members_.back().component->placeAlone();
    }
}

/// One allocation for all components without an arena of their own: their regions one after the
/// other, the shared region, as large as the largest that uses it, behind them.
void Run::allocateArena(DeviceState& device) {
    std::vector<std::pair<ComponentState*, Bytes>> places;
    Bytes ownEnd = 0;
    for (const Member& member : members_) {
        ComponentState& component = *member.component;
        if (&component.device() == &device && !member.sharesRegion && !component.hasPlace()) {
            places.emplace_back(&component, ownEnd);
            ownEnd += component.slotBytes();
        }
    }
    Bytes end = ownEnd;
    for (const Member& member : members_) {
        if (&member.component->device() == &device && member.sharesRegion) {
            places.emplace_back(member.component.get(), ownEnd);
            end = std::max(end, ownEnd + member.component->slotBytes());
        }
    }
    if (end == 0) {
        return;
    }
    device.arena = std::make_unique<CountedArena>(*device.device, device.id, end, books_.ledger);
    for (const auto& [component, offset] : places) {
        component->placeAt(device.arena->data() + offset);
    }
}

void Run::enter(NodeIndex node) {
    node_ = node;
    books_.ledger.event("enter", {}, nodeName(), {}, 0);
    startMeasuring();
    stop_.throwIfStopped();
    for (const uint32_t index : plannedFor(node)) {
        const ComponentState& component = *members_[index].component;
        if (!component.isOnDevice() && isAloneInNode(index)) {
            bring(members_[index]);
        }
    }
}

void Run::leave(NodeIndex node) noexcept {
    node_ = node;
    noteActivationPeaks();
    recoverFailedDevices();
    for (uint32_t index = 0; index < members_.size(); ++index) {
        ComponentState& component = *members_[index].component;
        const PlannedComponent& planned = plan_->components[index];
        if (planned.lastNode == node && planned.after != After::Keep && component.isOnDevice()) {
            component.evict(nodeName());
        }
    }
    forgetActivations();
    books_.ledger.event("leave", {}, nodeName(), {}, 0);
    node_.reset();
}

void Run::finish(memory::Outcome outcome) noexcept {
    if (std::exchange(isFinished_, true)) {
        return;
    }
    forgetActivations();
    for (uint32_t i = 0; i < members_.size(); ++i) {
        LOWTIDE_ASSERT(!members_[i].component->isLeased());
        const bool isWanted =
            outcome == memory::Outcome::Finished && plan_->components[i].after == After::Keep;
        if (!isWanted) {
            members_[i].component->abandon();
        }
    }
    const auto drainAll = [&] {
        for (const auto& [id, device] : devices_.all()) {
            device->device->drain();
            device->hasFailed = false;
        }
    };
    drainAll();
    for (uint32_t i = 0; i < members_.size(); ++i) {
        keepOrEvict(i);
    }
    drainAll();  // what the evictions told the lanes to wait for
    for (const auto& [id, device] : devices_.all()) {
        device->dropRunMemory(books_.ledger);
    }
    members_.clear();
    closeDroppedMasters();
}

ComponentState& Run::broughtComponent(const memory::ComponentTree& tree) {
    Member& found = member(tree);
    if (!found.component->isOnDevice()) {
        if (!plan_->use(*node_, tree)) {
            books_.traffic.addMiss();
        }
        bring(found);
    }
    return *found.component;
}

Run::Member& Run::member(const memory::ComponentTree& tree) {
    const auto index = indexOf(tree);
    if (!index) {
        throw Error(ErrorKind::Internal,
                    "the memory plan has no place for the component " + tree.role + " that node " +
                        nodeName() + " uses");
    }
    return members_[*index];
}

const ComponentState* Run::find(const memory::ComponentTree& tree) const noexcept {
    const auto index = indexOf(tree);
    return index ? members_[*index].component.get() : nullptr;
}

/// Where the running node was planned to compute with the component, else anywhere.
std::optional<uint32_t> Run::indexOf(const memory::ComponentTree& tree) const noexcept {
    LOWTIDE_ASSERT(node_.has_value());
    if (const memory::PlannedUse* use = plan_->use(*node_, tree)) {
        return use->component;
    }
    for (uint32_t index = 0; index < members_.size(); ++index) {
        if (members_[index].component->tree().id == tree.id) {
            return index;
        }
    }
    return std::nullopt;
}

void Run::noteActivations() {
    for (const auto& [id, device] : devices_.all()) {
        const Bytes more = device->device->allocated() - device->bytesAtEnter;
        books_.ledger.set(id, Tag::Activations, nodeName(), std::max<Bytes>(0, more));
    }
}

std::string Run::nodeName() const {
    return node_ && *node_ < plan_->stages.size() ? plan_->stages[*node_].node : std::string();
}

std::vector<uint32_t> Run::plannedFor(NodeIndex node) const {
    std::vector<uint32_t> indices;
    for (const memory::PlannedUse& use : plan_->uses) {
        const bool isNew =
            std::find(indices.begin(), indices.end(), use.component) == indices.end();
        if (use.node == node && isNew) {
            indices.push_back(use.component);
        }
    }
    return indices;
}

/// Components that take turns in one region arrive at their first lease when a node has several of
/// them.
bool Run::isAloneInNode(uint32_t index) const {
    const std::vector<uint32_t> indices = plannedFor(*node_);
    const Member& own = members_[index];
    return !own.sharesRegion || std::none_of(indices.begin(), indices.end(), [&](uint32_t other) {
        return other != index && members_[other].sharesRegion &&
               &members_[other].component->device() == &own.component->device();
    });
}

void Run::bring(Member& member) {
    if (member.sharesRegion) {
        makeRoomFor(*member.component);
    }
    member.component->bring(stop_, nodeName());
}

void Run::makeRoomFor(const ComponentState& arriving) {
    for (const Member& member : members_) {
        ComponentState& other = *member.component;
        if (&other == &arriving || !member.sharesRegion || !other.isOnDevice() ||
            &other.device() != &arriving.device()) {
            continue;
        }
        if (other.isLeased()) {
            throw Error(ErrorKind::Unsupported,
                        "node " + nodeName() + " uses " + arriving.tree().role + " while " +
                            other.tree().role + " holds the place that both share",
                        "set the memory policy of one of them to none");
        }
        other.evict(nodeName());
    }
}

/// Activations of a node are what its devices hold beyond what they held when it was entered;
/// arenas do not change in between, and the wires that stay behind are counted by the executor.
void Run::startMeasuring() {
    for (const auto& [id, device] : devices_.all()) {
        device->bytesAtEnter = device->device->allocated();
        device->device->resetPeak();
    }
}

void Run::noteActivationPeaks() {
    for (const auto& [id, device] : devices_.all()) {
        const Bytes more = device->device->peakAllocated() - device->bytesAtEnter;
        books_.ledger.set(id, Tag::Activations, nodeName(), std::max<Bytes>(0, more));
    }
}

void Run::forgetActivations() {
    for (const auto& [id, device] : devices_.all()) {
        books_.ledger.set(id, Tag::Activations, nodeName(), 0);
    }
}

/// After a failed copy the lane skips what is queued; what did not arrive leaves, and the lane
/// begins anew.
void Run::recoverFailedDevices() {
    for (const auto& [id, device] : devices_.all()) {
        if (!std::exchange(device->hasFailed, false)) {
            continue;
        }
        device->device->drain();
        for (const Member& member : members_) {
            ComponentState& component = *member.component;
            if (&component.device() == device.get() && component.isOnDevice() &&
                !component.isComplete()) {
                component.evict(nodeName());
            }
        }
    }
}

void Run::keepOrEvict(uint32_t index) {
    ComponentRef& component = members_[index].component;
    if (plan_->components[index].after == After::Keep && component->isComplete()) {
        component->settle();
        kept_.push_back(std::move(component));
    } else if (component->isOnDevice()) {
        component->evict({});
    }
}

/// Not at the last use but here, because a use that nobody planned may still come.
void Run::closeDroppedMasters() {
    for (const PlannedComponent& planned : plan_->components) {
        const bool isKept = std::any_of(kept_.begin(), kept_.end(), [&](const auto& component) {
            return component->tree().id == planned.tree->id;
        });
        if (planned.after == After::Drop && !isKept) {
            books_.masters.close(*planned.tree);
        }
    }
}

}  // namespace lowtide::residency
