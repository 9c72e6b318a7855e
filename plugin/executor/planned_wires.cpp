#include "plugin/executor/planned_wires.hpp"

#include "plugin/executor/ledger_charge.hpp"
#include "plugin/graph/key.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

constexpr size_t kNever = SIZE_MAX;

/// The output that made the value of an input, behind any control nodes.
std::optional<graph::SnapshotOutput> makerOf(const graph::Snapshot& snapshot,
                                             const graph::SnapshotInput& input) {
    return graph::behindControl(snapshot, {input.sourceNode, input.sourcePort});
}

bool isOneOf(std::span<const size_t> positions, size_t node) {
    return std::find(positions.begin(), positions.end(), node) != positions.end();
}

memory::DeviceSpec deviceOfInput(const graph::Snapshot& snapshot,
                                 std::span<const size_t> positions,
                                 std::span<const memory::DeviceSpec> known,
                                 size_t node,
                                 const memory::DeviceSpec& main) {
    for (const graph::SnapshotInput& input : snapshot.nodes[node].inputs) {
        if (const auto maker = makerOf(snapshot, input)) {
            return isOneOf(positions, maker->node) ? known[maker->node] : memory::DeviceSpec{};
        }
    }
    return main;
}

/// One output of a node that executes.
class PlannedWire {
public:
    PlannedWire(const graph::Snapshot& snapshot,
                const OutlinedGraph& outlined,
                std::span<const size_t> positions,
                std::span<const memory::DeviceSpec> devices)
        : snapshot_(snapshot), outlined_(outlined), positions_(positions), devices_(devices) {}

    void add(const graph::SnapshotOutput& output,
             const ValueOutline& value,
             std::vector<BytesByDevice>& wires) {
        const auto own = std::find(positions_.begin(), positions_.end(), output.node);
        const bool executes = own != positions_.end();
        const std::string host = kHostDevice;
        const std::string device = executes ? devices_[output.node].id() : host;
        size_t last = kNever;
        for (size_t place = 0; place < positions_.size(); ++place) {
            if (!takes(place, output)) {
                continue;
            }
            last = place;
            const std::string taker = devices_[positions_[place]].id();
            const bool isCopied =
                taker != device && outlined_.work[positions_[place]].components != nullptr;
            wires[place][taker] += isCopied ? value.bytesOn(taker) : 0;
        }
        // What does not execute is kept on the host since before the run.
        const size_t first =
            executes ? static_cast<size_t>(own - positions_.begin()) + 1 : positions_.size();
        for (size_t place = first; place < positions_.size(); ++place) {
            const bool isWanted = last != kNever && place <= last;
            const std::string& there = isWanted ? device : host;
            wires[place][there] += value.bytesOn(there);
            wires[place][kHostDevice] += value.hostBytes;
        }
    }

private:
    bool takes(size_t place, const graph::SnapshotOutput& output) const {
        const auto& inputs = snapshot_.nodes[positions_[place]].inputs;
        return std::any_of(inputs.begin(), inputs.end(), [&](const graph::SnapshotInput& input) {
            const auto maker = makerOf(snapshot_, input);
            return maker && maker->node == output.node && maker->port == output.port;
        });
    }

    const graph::Snapshot& snapshot_;
    const OutlinedGraph& outlined_;
    std::span<const size_t> positions_;
    std::span<const memory::DeviceSpec> devices_;
};

}  // namespace

Bytes ValueOutline::bytesOn(std::string_view deviceId) const {
    Bytes bytes = 0;
    for (const Bytes tensor : tensors) {
        bytes += deviceId == kHostDevice ? tensor : alignUp(tensor, memory::kSlotAlignment);
    }
    return bytes;
}

std::vector<memory::DeviceSpec> nodeDevices(const graph::Snapshot& snapshot,
                                            std::span<const size_t> positions,
                                            std::span<const memory::NodeWork> work,
                                            const memory::DeviceSpec& main) {
    std::vector<memory::DeviceSpec> devices(snapshot.nodes.size());
    for (size_t place = 0; place < positions.size(); ++place) {
        const size_t node = positions[place];
        const auto& components = work[place].components;
        if (!components.empty()) {
            const std::string& role = components.front()->role;
            devices[node] = work[place].policy.forComponent(role).device.value_or(main);
        } else if (snapshot.nodes[node].desc->control) {
            devices[node] = main;
        } else {
            devices[node] = deviceOfInput(snapshot, positions, devices, node, main);
        }
    }
    return devices;
}

std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                     const OutlinedGraph& outlined,
                                     std::span<const size_t> positions,
                                     std::span<const memory::DeviceSpec> devices) {
    std::vector<BytesByDevice> wires(positions.size());
    PlannedWire wire(snapshot, outlined, positions, devices);
    for (size_t node = 0; node < snapshot.nodes.size(); ++node) {
        for (const auto& [port, value] : outlined.work[node].outputs) {
            if (!value.tensors.empty() && !snapshot.nodes[node].desc->control) {
                wire.add({node, port}, value, wires);
            }
        }
    }
    return wires;
}

}  // namespace lowtide::executor
