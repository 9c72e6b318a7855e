// How nodes and runs end: what leaves, what stays, whatever went wrong.
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/run.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::residency {

using memory::After;
using memory::NodeIndex;
using memory::PlannedComponent;
using memory::PlannedStay;

bool Leftovers::hold(const memory::ComponentTree& tree) const {
    const auto isOfTree = [&](const StayRef& stay) { return stay->tree().id == tree.id; };
    return std::any_of(kept.begin(), kept.end(), isOfTree) ||
           std::any_of(leased.begin(), leased.end(), isOfTree);
}

/// Each part whatever becomes of another.
void Run::leave(NodeIndex node) noexcept {
    node_ = node;
    devices_.check();
    meter_.finish();
    books_.noteThrown([&] { recoverFailedDevices(); });
    forgetPasses();
    leaveUnplanned();
    leavePlaces(node);
    books_.noteThrown([&] {
        books_.ledger.event("leave", {}, nodeName(), {}, 0);
        clock_.finish(node);
    });
    node_.reset();
}

/// What their records keep is a node's own.
void Run::forgetPasses() noexcept {
    for (const StayRef& stay : stays_) {
        if (stay) {
            books_.noteThrown([&] { stay->forgetPass(); });
        }
    }
}

void Run::leaveUnplanned() noexcept {
    for (StayRef& stay : unplanned_) {
        books_.noteThrown([&] {
            if (!leftLeased(stay)) {
                stay->deactivate(nodeName());
                stay->device().drain();
            }
        });
    }
    unplanned_.clear();
}

/// A node that ends while its weights are leased is a bug of ours. They stay where they are, so
/// that whoever has the lease reads no memory that was freed.
bool Run::leftLeased(StayRef& stay) {
    if (!stay->isLeased()) {
        return false;
    }
    const std::string role = stay->tree().role;
    leftovers_.leased.push_back(std::move(stay));
    books_.ledger.noteFault("node " + nodeName() + " ended while weights of " + role +
                            " were in use");
    return true;
}

void Run::leavePlace(uint32_t index) {
    StayRef& stay = stays_[index];
    std::unique_ptr<CountedArena>& arena = arenas_[plan_->stays[index].place];
    if (stay->isLeased() && arena) {
        stay->own(std::move(arena));
    }
    if (!leftLeased(stay)) {
        stay->deactivate(nodeName());
        stay->device().drain();
    }
    stay.reset();
}

void Run::leavePlaces(NodeIndex node) noexcept {
    for (uint32_t index = 0; index < stays_.size(); ++index) {
        const PlannedStay& planned = plan_->stays[index];
        if (stays_[index] && planned.last == node && !planned.isKept) {
            books_.noteThrown([&] { leavePlace(index); });
        }
    }
    for (size_t place = 0; place < arenas_.size(); ++place) {
        const bool isHeld =
            std::any_of(plan_->stays.begin(), plan_->stays.end(), [&](const PlannedStay& stay) {
                return stay.place == place && (stay.isKept || stay.last > node);
            });
        if (!isHeld) {
            arenas_[place].reset();
        }
    }
}

void Run::finish(memory::Outcome outcome) noexcept {
    if (std::exchange(isFinished_, true)) {
        return;
    }
    meter_.finish();
    for (uint32_t index = 0; index < stays_.size(); ++index) {
        const bool isWanted = outcome == memory::Outcome::Finished && plan_->stays[index].isKept;
        if (stays_[index] && !isWanted) {
            stays_[index]->abandon();
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
    for (uint32_t index = 0; index < stays_.size(); ++index) {
        if (stays_[index]) {
            books_.noteThrown([&] { keepOrLeave(index); });
        }
    }
    leaveUnplanned();
    books_.noteThrown([&] { dropKeptOnLostDevices(); });
    drainAll();  // what the evictions told the lanes to wait for
    stays_.clear();
    arenas_.clear();
    for (const auto& [id, device] : devices_.all()) {
        device->unlessLost([&state = *device] {
            state.device->extras().dropWorkspaces();
            state.device->cap(-1);
        });
        device->dropRunMemory(books_.ledger);
    }
    books_.noteThrown([&] { dropUselessPins(); });
    books_.noteThrown([&] { closeDroppedMasters(); });
}

/// Of files that were written to meanwhile, for devices that are lost, and what is to be dropped.
void Run::dropUselessPins() {
    books_.pins.drop([&](const memory::ComponentTree& tree, const std::string& device) {
        const DeviceState* state = devices_.find(device);
        const auto isToDrop = [&](const PlannedComponent& planned) {
            return planned.after == After::Drop && planned.tree->id == tree.id;
        };
        return !state || state->isLost || !books_.masters.isUnchanged(tree) ||
               std::any_of(plan_->components.begin(), plan_->components.end(), isToDrop);
    });
}

/// A component that was kept before stays also when the run failed before it was to go.
void Run::keepOrLeave(uint32_t index) {
    StayRef& stay = stays_[index];
    const PlannedStay& planned = plan_->stays[index];
    const bool isKept = planned.isKept && !stay->isLeased() && !stay->device().isLost &&
                        stay->isComplete() && books_.masters.isUnchanged(stay->tree());
    if (!isKept) {
        leavePlace(index);
        return;
    }
    stay->settle();
    if (arenas_[planned.place]) {
        stay->own(std::move(arenas_[planned.place]));
    }
    leftovers_.kept.push_back(std::move(stay));
}

void Run::dropKeptOnLostDevices() {
    std::erase_if(leftovers_.kept, [](const StayRef& kept) {
        if (kept->device().isLost) {
            kept->deactivate({});
        }
        return kept->device().isLost;
    });
}

/// Not at the last use but here, because a use that nobody planned may still come.
void Run::closeDroppedMasters() {
    for (const PlannedComponent& planned : plan_->components) {
        if (planned.after == After::Drop && !leftovers_.hold(*planned.tree)) {
            books_.masters.close(*planned.tree);
        }
    }
}

/// After a failed copy the lane skips what is queued; what did not arrive leaves, and the lane
/// begins anew.
void Run::recoverFailedDevices() {
    for (const auto& [id, device] : devices_.all()) {
        if (!std::exchange(device->hasFailed, false)) {
            continue;
        }
        device->drain();
        for (const StayRef& stay : stays_) {
            if (stay && stay->isActive() && &stay->device() == device.get()) {
                stay->dropIncomplete(nodeName());
            }
        }
    }
}

}  // namespace lowtide::residency
