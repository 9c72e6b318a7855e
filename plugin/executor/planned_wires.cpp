#include "plugin/executor/planned_wires.hpp"

#include "plugin/executor/ledger_charge.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

constexpr size_t kNever = SIZE_MAX;

/// Place in `positions` of the last node that takes something from `source`.
size_t lastUseOf(size_t source,
                 const graph::Snapshot& snapshot,
                 std::span<const size_t> positions) {
    size_t last = kNever;
    for (size_t place = 0; place < positions.size(); ++place) {
        for (const graph::SnapshotInput& input : snapshot.nodes[positions[place]].inputs) {
            last = input.sourceNode == source ? place : last;
        }
    }
    return last;
}

Bytes bytesOf(const WorkOutline& work) {
    Bytes bytes = 0;
    for (const auto& [port, value] : work.outputs) {
        bytes += value.bytes;
    }
    return bytes;
}

}  // namespace

std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                     const OutlinedGraph& outlined,
                                     std::span<const size_t> positions,
                                     const memory::DeviceSpec& main) {
    std::vector<BytesByDevice> wires(positions.size());
    for (size_t source = 0; source < snapshot.nodes.size(); ++source) {
        const graph::SnapshotNode& node = snapshot.nodes[source];
        const Bytes bytes = bytesOf(outlined.work[source]);
        const auto own = std::find(positions.begin(), positions.end(), source);
        const size_t last = lastUseOf(source, snapshot, positions);
        if (bytes == 0 || node.desc->control || own == positions.end()) {
            continue;  // what does not execute is kept on the host since before the run
        }
        const std::string device = node.policy.device.value_or(main).id();
        const auto first = static_cast<size_t>(own - positions.begin()) + 1;
        for (size_t place = first; place < positions.size(); ++place) {
            const bool isWanted = last != kNever && place <= last;
            wires[place][isWanted ? device : std::string(kHostDevice)] += bytes;
        }
    }
    return wires;
}

}  // namespace lowtide::executor
