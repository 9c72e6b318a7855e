#pragma once

namespace lowtide::sampling {

/// Where step caches may cut a network; its family states it.
struct CachePoints {
    /// A partial call may compute from depth 0 (least) to this one; below 0: it cannot be cut.
    int deepest = -1;
    /// The depth whose cut lies behind the network's first block; below 0: it has none.
    int firstBlock = -1;
};

}  // namespace lowtide::sampling
