// How nodes and runs end: what leaves, what remains, whatever went wrong.
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/run.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

using memory::After;
using memory::NodeIndex;
using memory::PlannedComponent;
using memory::PlannedResidency;

bool Leftovers::hold(const memory::ComponentTree& tree) const {
    const auto isOfTree = [&](const ComponentResidencyRef& residency) {
        return residency->tree().id == tree.id;
    };
    return std::any_of(kept.begin(), kept.end(), isOfTree) ||
           std::any_of(leased.begin(), leased.end(), isOfTree);
}

/// Each part whatever becomes of another.
void Run::leave(NodeIndex node) noexcept {
    node_ = node;
    devices_.check();
    meter_.finish();
    accounting_.noteThrown([&] { recoverFailedDevices(); });
    forgetForwards();
    leaveUnplanned();
    leaveSlots(node);
    accounting_.noteThrown([&] {
        accounting_.ledger.event("leave", {}, nodeName(), {}, 0);
        clock_.finish(node);
    });
    node_.reset();
}

/// What their records keep is a node's own.
void Run::forgetForwards() noexcept {
    for (const ComponentResidencyRef& residency : residencies_) {
        if (residency) {
            accounting_.noteThrown([&] { residency->forgetForward(); });
        }
    }
}

void Run::leaveUnplanned() noexcept {
    for (ComponentResidencyRef& residency : unplanned_) {
        accounting_.noteThrown([&] {
            if (!leftLeased(residency)) {
                residency->deactivate(nodeName());
                residency->device().drain();
            }
        });
    }
    unplanned_.clear();
}

/// A node that ends while its weights are leased is a bug of ours. They remain where they are, so
/// that whoever has the lease reads no memory that was freed.
bool Run::leftLeased(ComponentResidencyRef& residency) {
    if (!residency->isLeased()) {
        return false;
    }
    const std::string role = residency->tree().role;
    leftovers_.leased.push_back(std::move(residency));
    accounting_.ledger.noteFault("node " + nodeName() + " ended while weights of " + role +
                                 " were in use");
    return true;
}

void Run::leaveSlot(uint32_t index) {
    ComponentResidencyRef& residency = residencies_[index];
    std::unique_ptr<CountedArena>& arena = arenas_[plan_->residencies[index].slot];
    if (residency->isLeased() && arena) {
        residency->own(std::move(arena));
    }
    if (!leftLeased(residency)) {
        residency->deactivate(nodeName());
        residency->device().drain();
    }
    residency.reset();
}

void Run::leaveSlots(NodeIndex node) noexcept {
    for (uint32_t index = 0; index < residencies_.size(); ++index) {
        const PlannedResidency& planned = plan_->residencies[index];
        if (residencies_[index] && planned.last == node && !planned.isKept) {
            accounting_.noteThrown([&] { leaveSlot(index); });
        }
    }
    for (size_t slot = 0; slot < arenas_.size(); ++slot) {
        const bool isHeld = std::any_of(plan_->residencies.begin(),
                                        plan_->residencies.end(),
                                        [&](const PlannedResidency& residency) {
                                            return residency.slot == slot &&
                                                   (residency.isKept || residency.last > node);
                                        });
        if (!isHeld) {
            arenas_[slot].reset();
        }
    }
}

void Run::finish(memory::Outcome outcome) noexcept {
    if (std::exchange(isFinished_, true)) {
        return;
    }
    meter_.finish();
    for (uint32_t index = 0; index < residencies_.size(); ++index) {
        const bool isWanted =
            outcome == memory::Outcome::Finished && plan_->residencies[index].isKept;
        if (residencies_[index] && !isWanted) {
            residencies_[index]->abandon();
        }
    }
    const auto drainAll = [&] {
        for (const auto& [id, device] : devices_.all()) {
            device->drain();
            device->hasFailed = false;
        }
    };
    drainAll();
    devices_.check();
    for (uint32_t index = 0; index < residencies_.size(); ++index) {
        if (residencies_[index]) {
            accounting_.noteThrown([&] { keepOrLeave(index); });
        }
    }
    leaveUnplanned();
    accounting_.noteThrown([&] { dropKeptOnLostDevices(); });
    drainAll();  // what the evictions made the copy queues wait for
    residencies_.clear();
    arenas_.clear();
    for (const auto& [id, device] : devices_.all()) {
        device->unlessLost([&state = *device] {
            state.device->extras().dropWorkspaces();
            state.device->cap(-1);
        });
        device->dropRunMemory(accounting_.ledger);
    }
    accounting_.noteThrown([&] { dropUselessPins(); });
    accounting_.noteThrown([&] { closeDroppedWeights(); });
}

/// Of files that were written to meanwhile, for devices that are lost, and what is to be dropped.
void Run::dropUselessPins() {
    accounting_.pins.drop([&](const memory::ComponentTree& tree, const std::string& device) {
        const DeviceState* state = devices_.find(device);
        const auto isToDrop = [&](const PlannedComponent& planned) {
            return planned.after == After::Drop && planned.tree->id == tree.id;
        };
        return !state || state->isLost || !accounting_.hostWeights.isUnchanged(tree) ||
               std::any_of(plan_->components.begin(), plan_->components.end(), isToDrop);
    });
}

/// A component that was kept before remains also when the run failed before it was to go.
void Run::keepOrLeave(uint32_t index) {
    ComponentResidencyRef& residency = residencies_[index];
    const PlannedResidency& planned = plan_->residencies[index];
    const bool isKept = planned.isKept && !residency->isLeased() && !residency->device().isLost &&
                        residency->isComplete() &&
                        accounting_.hostWeights.isUnchanged(residency->tree());
    if (!isKept) {
        leaveSlot(index);
        return;
    }
    residency->settle();
    if (arenas_[planned.slot]) {
        residency->own(std::move(arenas_[planned.slot]));
    }
    leftovers_.kept.push_back(std::move(residency));
}

void Run::dropKeptOnLostDevices() {
    std::erase_if(leftovers_.kept, [](const ComponentResidencyRef& kept) {
        if (kept->device().isLost) {
            kept->deactivate({});
        }
        return kept->device().isLost;
    });
}

/// Not at the last use but here, because a use that nobody planned may still come.
void Run::closeDroppedWeights() {
    for (const PlannedComponent& planned : plan_->components) {
        if (planned.after == After::Drop && !leftovers_.hold(*planned.tree)) {
            accounting_.hostWeights.close(*planned.tree);
        }
    }
}

/// After a failed copy the copy queue skips what is queued; what did not arrive leaves, and the
/// copy queue begins again.
void Run::recoverFailedDevices() {
    for (const auto& [id, device] : devices_.all()) {
        if (!std::exchange(device->hasFailed, false)) {
            continue;
        }
        device->drain();
        for (const ComponentResidencyRef& residency : residencies_) {
            if (residency && residency->isActive() && &residency->device() == device.get()) {
                residency->dropIncomplete(nodeName());
            }
        }
    }
}

}  // namespace lowtide::residency
