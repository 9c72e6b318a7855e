#include "plugin/memory/plan_clearing.hpp"

#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::memory {

PlanClearing::PlanClearing(PlanRequest request) : request_(std::move(request)) {}

bool PlanClearing::clearMore(const std::string& device) {
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
}

bool PlanClearing::clearKept(const std::string& device, bool evenUsed) {
    const size_t before = leaving_.size();
    std::erase_if(request_.kept, [&](const KeptComponent& kept) {
        const bool goes = kept.device == device && (evenUsed || !isUsed(kept));
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

bool PlanClearing::isUsed(const KeptComponent& kept) const {
    const auto usesIt = [&](const NodeWork& node) {
        return std::any_of(node.components.begin(), node.components.end(), [&](const auto& tree) {
            return tree->id == kept.tree &&
                   node.deviceOf(*tree, request_.device).id() == kept.device;
        });
    };
    return std::any_of(request_.nodes.begin(), request_.nodes.end(), usesIt);
}

}  // namespace lowtide::memory
