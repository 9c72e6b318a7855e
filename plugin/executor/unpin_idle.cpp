#include "plugin/executor/unpin_idle.hpp"

namespace lowtide::executor {

Unpinned unpinIdle(memory::Engine& engine) {
    Unpinned unpinned;
    for (const memory::PinnedComponent& pinned : engine.pinnedComponents()) {
        const Bytes bytes = engine.unpin(pinned);
        unpinned.components += bytes > 0 ? 1 : 0;
        unpinned.bytes += bytes;
    }
    return unpinned;
}

}  // namespace lowtide::executor
