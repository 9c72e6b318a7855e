#include "plugin/executor/planned_wires.hpp"

#include "plugin/executor/ledger_charge.hpp"
#include "plugin/graph/key.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>

namespace lowtide::executor {

namespace {

constexpr size_t kNever = SIZE_MAX;

/// The output that made the value of an input, behind any control nodes.
std::optional<graph::SnapshotOutput> makerOf(const graph::Snapshot& snapshot,
                                             const graph::SnapshotInput& input) {
    return graph::behindControl(snapshot, {input.sourceNode, input.sourcePort});
}

/// Where the values of `node` are made; what does not execute was kept on the host.
memory::DeviceSpec placeOf(std::span<const size_t> positions,
                           std::span<const memory::DeviceSpec> devices,
                           size_t node) {
    const bool executes = std::find(positions.begin(), positions.end(), node) != positions.end();
    return executes ? devices[node] : memory::DeviceSpec{};
}

memory::DeviceSpec deviceOfInput(const graph::Snapshot& snapshot,
                                 std::span<const size_t> positions,
                                 std::span<const memory::DeviceSpec> known,
                                 size_t node,
                                 const memory::DeviceSpec& main) {
    for (const graph::SnapshotInput& input : snapshot.nodes[node].inputs) {
        if (const auto maker = makerOf(snapshot, input)) {
            return placeOf(positions, known, maker->node);
        }
    }
    return main;
}

/// The wires of one run.
class WirePlanner {
public:
    WirePlanner(const graph::Snapshot& snapshot,
                std::span<const size_t> positions,
                std::span<const memory::DeviceSpec> devices)
        : snapshot_(snapshot),
          positions_(positions),
          devices_(devices),
          wires_(positions.size() + 1) {}

    /// One output, of a node that executes or does not.
    void add(const graph::SnapshotOutput& output, const ValueOutline& value) {
        const std::string device = placeOf(positions_, devices_, output.node).id();
        const size_t end = endOf(output);
        for (size_t place = firstAfter(output.node); place < wires_.size(); ++place) {
            const std::string& there = place < end ? device : kHost;
            wires_[place][there] += value.bytesOn(there);
            wires_[place][kHost] += value.hostBytes;
        }
    }

    [[nodiscard]] std::vector<BytesByDevice> take() { return std::move(wires_); }

private:
    /// Where a value of `node` is first more than its node's own; never for what does not execute:
    /// that is kept on the host since before the run.
    [[nodiscard]] size_t firstAfter(size_t node) const {
        const auto own = std::find(positions_.begin(), positions_.end(), node);
        return own == positions_.end() ? wires_.size()
                                       : static_cast<size_t>(own - positions_.begin()) + 1;
    }

    /// Behind the last place that takes the output; 0: none does.
    [[nodiscard]] size_t endOf(const graph::SnapshotOutput& output) const {
        size_t end = 0;
        for (size_t place = 0; place < positions_.size(); ++place) {
            const auto& inputs = snapshot_.nodes[positions_[place]].inputs;
            const bool takes = std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
                const auto maker = makerOf(snapshot_, input);
                return maker && maker->node == output.node && maker->port == output.port;
            });
            end = takes ? place + 1 : end;
        }
        return end;
    }

    const std::string kHost = kHostDevice;
    const graph::Snapshot& snapshot_;
    std::span<const size_t> positions_;
    std::span<const memory::DeviceSpec> devices_;
    std::vector<BytesByDevice> wires_;
};

}  // namespace

std::vector<memory::DeviceSpec> nodeDevices(const graph::Snapshot& snapshot,
                                            std::span<const size_t> positions,
                                            std::span<const memory::NodeWork> work,
                                            const memory::DeviceSpec& main) {
    std::vector<memory::DeviceSpec> devices(snapshot.nodes.size());
    for (size_t place = 0; place < positions.size(); ++place) {
        const size_t node = positions[place];
        const auto& components = work[place].components;
        if (!components.empty()) {
            devices[node] = work[place].device(main);
        } else if (snapshot.nodes[node].desc->control) {
            devices[node] = main;
        } else if (const auto& told = work[place].policy.device) {
            devices[node] = *told;
        } else {
            devices[node] = deviceOfInput(snapshot, positions, devices, node, main);
        }
    }
    return devices;
}

std::vector<std::string> inputsElsewhere(const graph::Snapshot& snapshot,
                                         std::span<const size_t> positions,
                                         std::span<const memory::DeviceSpec> devices,
                                         size_t node) {
    std::vector<std::string> ports;
    for (const graph::SnapshotInput& input : snapshot.nodes[node].inputs) {
        const auto maker = makerOf(snapshot, input);
        if (maker && placeOf(positions, devices, maker->node).id() != devices[node].id()) {
            ports.push_back(input.port);
        }
    }
    return ports;
}

std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                     const OutlinedGraph& outlined,
                                     std::span<const size_t> positions,
                                     std::span<const memory::DeviceSpec> devices) {
    WirePlanner planner(snapshot, positions, devices);
    for (size_t node = 0; node < snapshot.nodes.size(); ++node) {
        for (const auto& [port, value] : outlined.work[node].outputs) {
            if (!value.tensors.empty() && !snapshot.nodes[node].desc->control) {
                planner.add({node, port}, value);
            }
        }
    }
    return planner.take();
}

}  // namespace lowtide::executor
