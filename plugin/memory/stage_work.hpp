#pragma once

#include "plugin/base/units.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {

/// One use of a leaf in one pass.
struct LeafUse {
    LeafId leaf = 0;
    double flops = 0;  ///< of its matrix products; what works element by element counts nothing
};

/// What one component does in a stage: one pass in the order of its leases, and how often.
struct ComponentWork {
    std::shared_ptr<const ComponentTree> tree;
    std::vector<LeafUse> pass;
    int64_t passes = 1;
};

/// Where a stage computes, and what it takes from other devices.
struct StagePlace {
    std::string_view deviceKind;           ///< "cpu", "fake"
    std::vector<std::string> elsewhere{};  ///< ports of inputs that lie on another device

    [[nodiscard]] bool isElsewhere(std::string_view port) const {
        return std::find(elsewhere.begin(), elsewhere.end(), port) != elsewhere.end();
    }
};

/// What a stage takes beside its weights, known from shapes alone.
struct StageWork {
    /// Most bytes of tensors at once on the stage's device, beyond the inputs that lie there
    /// already; what leaves on wires is part of it, and copies of inputs from elsewhere.
    Bytes activations = 0;
    /// What kernels take beside tensors and no allocator of ours sees; 0 on cpu and fake, where the
    /// scratch memory of MKL's products is in no ledger.
    Bytes workspace = 0;
    std::vector<ComponentWork> components;  ///< in the order of their first lease
};

}  // namespace lowtide::memory
