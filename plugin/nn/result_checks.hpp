#pragma once

#include "plugin/base/dtype.hpp"

#include <ATen/core/Tensor.h>

#include <span>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// A call of a network that is one of several.
struct NotedStep {
    int step = 0;
    int steps = 1;
};

/// Looks at what the networks of a stage give. Run thread.
class ResultChecks {
public:
    virtual ~ResultChecks() = default;

    /// Takes what a network gave, typed or not; looks at it later.
    virtual void note(const memory::ComponentTree& network,
                      const at::Tensor& result,
                      const NotedStep& step) = 0;
    /// Looks at everything that was noted, and at `results`. Throws what is wrong with them.
    virtual void look(std::span<const at::Tensor> results) = 0;
    /// Throws where an input of the stage is at fault.
    virtual void requireFiniteInputs() const = 0;
    /// Throws that a network gave what is wrong, computed in `compute`.
    [[noreturn]] virtual void refuse(const memory::ComponentTree& network, DType compute) const = 0;
};

}  // namespace lowtide::models
