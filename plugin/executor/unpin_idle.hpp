#pragma once

#include "plugin/memory/engine.hpp"

namespace lowtide::executor {

/// Host memory that was given back.
struct Unpinned {
    int64_t components = 0;
    Bytes bytes = 0;
};

/// Gives back all that is pinned and that nothing uses now.
[[nodiscard]] Unpinned unpinIdle(memory::Engine& engine);

}  // namespace lowtide::executor
