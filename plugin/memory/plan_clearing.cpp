#include "plugin/memory/plan_clearing.hpp"

#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::memory {

PlanClearing::PlanClearing(PlanRequest request) : request_(std::move(request)) {}

bool PlanClearing::clearMore(const std::string& device) {
    if (clearPinned(device, false) || clearPinned(device, true)) {
        return true;
    }
    for (PlanDevice& own : request_.devices) {
        if (own.spec.id() == device && own.droppable > 0) {
            own.held -= std::exchange(own.droppable, 0);
            dropsHeld_ = true;
            return true;
        }
    }
    return clearKept(device, false) || clearKept(device, true);
}

void PlanClearing::clearAll() {
    for (const PlanDevice& device : request_.devices) {
        while (clearMore(device.spec.id())) {
        }
    }
}

void PlanClearing::tell(Plan& plan) const {
    plan.dropsHeld = dropsHeld_;
    plan.leaving = leaving_;
    plan.unpinned.insert(plan.unpinned.end(), unpinned_.begin(), unpinned_.end());
}

bool PlanClearing::clearPinned(const std::string& device, bool evenUsed) {
    Bytes cleared = 0;
    std::erase_if(request_.pinned, [&](const PinnedComponent& pinned) {
        const bool goes =
            device == "cpu" && (evenUsed || !usesOn(request_, pinned.tree, pinned.device));
        if (goes) {
            cleared += pinned.bytes;
            unpinned_.push_back(pinned);
        }
        return goes;
    });
    for (PlanDevice& own : request_.devices) {
        own.held -= own.spec.id() == device ? cleared : 0;
    }
    return cleared > 0;
}

bool PlanClearing::clearKept(const std::string& device, bool evenUsed) {
    const size_t before = leaving_.size();
    std::erase_if(request_.kept, [&](const KeptComponent& kept) {
        const bool goes =
            kept.device == device && (evenUsed || !usesOn(request_, kept.tree, kept.device));
        if (goes) {
            leaving_.push_back(kept);
        }
        return goes;
    });
    for (PlanDevice& own : request_.devices) {
        for (size_t i = before; i < leaving_.size() && own.spec.id() == device; ++i) {
            own.held -= leaving_[i].bytes;
        }
    }
    return leaving_.size() > before;
}

bool usesOn(const PlanRequest& request, const std::string& tree, const std::string& device) {
    const auto usesIt = [&](const NodeWork& node) {
        return std::any_of(node.components.begin(), node.components.end(), [&](const auto& own) {
            return own->id == tree && node.deviceOf(*own, request.device).id() == device;
        });
    };
    return std::any_of(request.nodes.begin(), request.nodes.end(), usesIt);
}

}  // namespace lowtide::memory
