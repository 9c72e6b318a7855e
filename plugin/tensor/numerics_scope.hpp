#pragma once

#include "plugin/memory/precision.hpp"

#include <functional>
#include <vector>

namespace lowtide::tensor {

/// Sets LibTorch's process-wide switches as a stage needs them, for as long as it lives; then they
/// are what they were: the host may share the library. Switches that are not applicable are left
/// alone. Run thread, one at a time.
class NumericsScope {
public:
    /// Error{Unsupported} where the host mixed LibTorch's two ways to choose TF32, so that they
    /// cannot be read.
    explicit NumericsScope(const memory::SwitchStates& states);
    ~NumericsScope();
    NumericsScope(const NumericsScope&) = delete;
    NumericsScope& operator=(const NumericsScope&) = delete;

private:
    void restore() noexcept;

    std::vector<std::function<void()>> undo_;
};

}  // namespace lowtide::tensor
