#pragma once

#include "plugin/graph/snapshot.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::graph {

/// What of each device decides about bits, by id; of the run's own under "" too.
using DeviceTexts = std::map<std::string, std::string, std::less<>>;

/// The key of every node of a snapshot, in its order: SHA-256 over type, version, parameters
/// without cosmetic ones, precision, the devices that it computes on, the keys and ports that feed
/// it, `fingerprints` of what it reads outside the graph, and `numerics` (threads, build). Ids,
/// positions, titles, memory policies and the order of nodes play no part. A control node has the
/// key of what it passes on, and what it feeds sees no difference.
[[nodiscard]] std::vector<std::string> makeKeys(
    const Snapshot& snapshot,
    std::span<const std::vector<std::string>> fingerprints,
    std::string_view numerics,
    const DeviceTexts& devices = {});

/// The output behind a control node's output, through any number of them; an output of another node
/// is its own. nullptr when the control node's input is not connected.
struct SnapshotOutput {
    size_t node = 0;
    std::string port;
};

[[nodiscard]] std::optional<SnapshotOutput> behindControl(const Snapshot& snapshot,
                                                          SnapshotOutput output);

}  // namespace lowtide::graph
