#pragma once

#include "plugin/memory/component_tree.hpp"

#include <memory>
#include <vector>

namespace lowtide::memory {

/// One use of a leaf in one pass.
struct LeafUse {
    LeafId leaf = 0;
    double flops = 0;
};

/// What one component does in a stage: one pass in the order of its leases, and how often.
struct ComponentWork {
    std::shared_ptr<const ComponentTree> tree;
    std::vector<LeafUse> pass;
    int64_t passes = 1;
};

/// What a stage takes beside its weights, known from shapes alone.
struct StageWork {
    Bytes activations = 0;  ///< most at once, beyond what lies on wires when it begins
    Bytes workspace = 0;    ///< of kernels, outside the allocator of tensors
    std::vector<ComponentWork> components;
};

}  // namespace lowtide::memory
