#include "plugin/memory/measurements.hpp"

#include <algorithm>

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

namespace {

Json orNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace

Seconds StageTraffic::compute() const {
    Seconds waited = 0;
    for (const auto& [device, times] : copyQueues) {
        waited += times.wait;
    }
    return std::max(0.0, seconds - waited);
}

std::optional<Seconds> StageTraffic::lowerBound() const {
    if (copyQueues.empty()) {
        return std::nullopt;
    }
    Seconds bound = compute();
    for (const auto& [device, times] : copyQueues) {
        bound = std::max(bound, times.copy);
    }
    return bound;
}

std::optional<double> StageTraffic::efficiency() const {
    const std::optional<Seconds> bound = lowerBound();
    // A copy queue may still finish what the stage before it ordered: no more than all of the time.
    return bound && seconds > 0 ? std::optional(std::min(1.0, *bound / seconds)) : std::nullopt;
}

Json toJson(const PatternsTraffic& patterns) {
    Json json = Json::array();
    for (const auto& [number, traffic] : patterns) {
        json.push_back(
            {{"pattern", number}, {"passes", traffic.forwards}, {"moved", traffic.moved}});
    }
    return json;
}

Json toJson(const std::vector<StageTraffic>& stages) {
    Json json = Json::array();
    for (const StageTraffic& stage : stages) {
        Json copyQueues = Json::object();
        for (const auto& [device, times] : stage.copyQueues) {
            copyQueues[device] = {{"copy", times.copy}, {"wait", times.wait}};
        }
        json.push_back({{"node", stage.node},
                        {"seconds", stage.seconds},
                        {"compute", stage.compute()},
                        {"moved", stage.bytesToDevice},
                        {"misses", stage.misses},
                        {"patterns", toJson(stage.patterns)},
                        {"lanes", copyQueues},
                        {"bound", orNull(stage.lowerBound())},
                        {"efficiency", orNull(stage.efficiency())}});
    }
    return json;
}

}  // namespace lowtide::memory
