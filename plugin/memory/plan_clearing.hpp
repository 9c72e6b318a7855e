#pragma once

#include "plugin/memory/plan.hpp"

#include <string>
#include <vector>

namespace lowtide::memory {

/// A request from whose devices goes what earlier runs left there, one kind after the other: what
/// is pinned on the host, what is droppable, components; of pins and components at first those that
/// the request does not use.
class PlanClearing {
public:
    explicit PlanClearing(PlanRequest request);

    /// Clears the next kind from this device; false: nothing is left that may go.
    bool clearMore(const std::string& device);
    void clearAll();

    [[nodiscard]] const PlanRequest& request() const { return request_; }

    /// Writes down what has gone.
    void tell(Plan& plan) const;

private:
    bool clearKept(const std::string& device, bool evenUsed);
    bool clearPinned(const std::string& device, bool evenUsed);

    PlanRequest request_;
    bool dropsHeld_ = false;
    std::vector<KeptComponent> leaving_;
    std::vector<PinnedComponent> unpinned_;
};

/// Whether a node of the request computes with the tree of this id on this device.
[[nodiscard]] bool usesOn(const PlanRequest& request,
                          const std::string& tree,
                          const std::string& device);

}  // namespace lowtide::memory
