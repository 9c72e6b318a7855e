#pragma once

#include "plugin/memory/component_ids.hpp"

#include <cstdint>
#include <vector>

namespace lowtide::memory {

/// Which pass begins: passes of one pattern use the same leaves (a full step, a partial step).
struct PassHint {
    uint32_t pattern = 0;
    uint32_t next = 0;  ///< pattern of the pass after it

    bool operator==(const PassHint&) const = default;
};

/// One use of a leaf in one pass.
struct LeafUse {
    LeafId leaf = 0;
    double flops = 0;  ///< of its matrix products; what works element by element counts nothing

    bool operator==(const LeafUse&) const = default;
};

/// One kind of pass over a component: its leaves in the order of their leases.
using AccessPattern = std::vector<LeafUse>;

}  // namespace lowtide::memory
