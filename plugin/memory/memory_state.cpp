#include "plugin/memory/memory_state.hpp"

namespace lowtide::memory {

Json toJson(const RehearsalCounts& counts) {
    Json allocations = Json::object();
    for (size_t kind = 0; kind < counts.allocations.size(); ++kind) {
        allocations[std::string(nameOf(static_cast<AllocationKind>(kind)))] =
            counts.allocations[kind];
    }
    return {{"allocations", allocations},
            {"activationsOnWires", counts.activationsOnWires},
            {"held", counts.held},
            {"spilled", counts.spilled},
            {"spilledTouched", counts.spilledTouched}};
}

}  // namespace lowtide::memory
