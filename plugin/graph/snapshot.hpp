#pragma once
// A graph at the moment a run was asked for: its nodes in the order in which they execute, and the
// keys of their results.

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/memory/collection.hpp"
#include "plugin/memory/device_spec.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::graph {

/// Where an input's value comes from: an output of an earlier node of the snapshot.
struct SnapshotInput {
    std::string port;
    size_t sourceNode = 0;  ///< index into Snapshot::nodes
    std::string sourcePort;
};

/// A node that will be evaluated: every parameter present and of its kind's type.
struct SnapshotNode {
    std::string id;
    const NodeDesc* desc = nullptr;
    std::map<std::string, Scalar, std::less<>> params;
    std::vector<SnapshotInput> inputs;  ///< connected ones, sorted by port
    memory::Policy policy;
    memory::PrecisionChoice precision;
    bool isWanted = false;  ///< an output, or a node with which the run ends

    /// nullptr when the input is not connected.
    [[nodiscard]] const SnapshotInput* input(std::string_view port) const;
};

/// A graph at the moment a run was asked for: the nodes that its ends pull, in the order in
/// which they execute (sources first; of the ready ones those that keep the networks in use, see
/// orderNodes). Immutable.
struct Snapshot {
    std::vector<SnapshotNode> nodes;
    memory::MemoryBudget memoryBudget;
    std::optional<memory::DeviceSpec> device;
    std::optional<int> collectionThreshold;  ///< percent
    std::optional<memory::LowMemory> lowMemory;
    bool isExact = false;  ///< lossy choices are refused
    /// The graph as images keep it: compact JSON with the values that were used, of paths the
    /// last part only.
    std::string graphText;
};

/// Error{InvalidInput} with the first error of validate() when there is one; `catalog` must outlive
/// the snapshot.
[[nodiscard]] std::shared_ptr<const Snapshot> makeSnapshot(const Document& document,
                                                           const Catalog& catalog);

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
