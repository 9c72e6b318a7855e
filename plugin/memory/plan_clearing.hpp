#pragma once

#include "plugin/memory/plan.hpp"

#include <string>
#include <vector>

namespace lowtide::memory {

/// A request from whose devices goes what earlier runs left there, one kind after the other: what
/// is droppable, components that the request does not use, then those that it uses.
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
    [[nodiscard]] bool isUsed(const KeptComponent& kept) const;

    PlanRequest request_;
    bool dropsHeld_ = false;
    std::vector<KeptComponent> leaving_;
};

}  // namespace lowtide::memory
