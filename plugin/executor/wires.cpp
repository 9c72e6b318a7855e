#include "plugin/executor/wires.hpp"

#include "plugin/base/error.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/snapshot.hpp"
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
memory::DeviceSpec deviceFrom(std::span<const size_t> positions,
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
            return deviceFrom(positions, known, maker->node);
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
    void add(const graph::SnapshotOutput& output, const ValueSpec& value) {
        const std::string device = deviceFrom(positions_, devices_, output.node).id();
        const size_t end = endOf(output);
        for (size_t index = firstAfter(output.node); index < wires_.size(); ++index) {
            const std::string& there = index < end ? device : kHost;
            wires_[index][there] += value.bytesOn(there);
            wires_[index][kHost] += value.hostBytes;
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
        for (size_t index = 0; index < positions_.size(); ++index) {
            const auto& inputs = snapshot_.nodes[positions_[index]].inputs;
            const bool takes = std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) {
                const auto maker = makerOf(snapshot_, input);
                return maker && maker->node == output.node && maker->port == output.port;
            });
            end = takes ? index + 1 : end;
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
    for (size_t index = 0; index < positions.size(); ++index) {
        const size_t node = positions[index];
        const auto& components = work[index].components;
        if (!components.empty()) {
            devices[node] = work[index].device(main);
        } else if (snapshot.nodes[node].desc->control) {
            devices[node] = main;
        } else if (const auto& requested = work[index].policy.device) {
            devices[node] = *requested;
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
        if (maker && deviceFrom(positions, devices, maker->node).id() != devices[node].id()) {
            ports.push_back(input.port);
        }
    }
    return ports;
}

std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                     const GraphSpec& graphSpec,
                                     std::span<const size_t> positions,
                                     std::span<const memory::DeviceSpec> devices) {
    WirePlanner planner(snapshot, positions, devices);
    for (size_t node = 0; node < snapshot.nodes.size(); ++node) {
        for (const auto& [port, value] : graphSpec.work[node].outputs) {
            if (!value.tensors.empty() && !snapshot.nodes[node].desc->control) {
                planner.add({node, port}, value);
            }
        }
    }
    return planner.take();
}

namespace {

/// A value that does not fit into host memory is not kept, which costs time and nothing else.
memory::WireRef hostCopyOf(const memory::WireRef& value) {
    try {
        return value->onHost();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::OutOfMemory) {
            throw;
        }
        return nullptr;
    }
}

}  // namespace

Wires::Wires(const graph::Snapshot& snapshot,
             const Selection& selection,
             std::span<const std::string> keys,
             std::span<const std::string> devices,
             memory::Ledger& ledger,
             ResultCache& cache)
    : snapshot_(snapshot),
      keys_(keys),
      devices_(devices),
      ledger_(ledger),
      cache_(cache),
      nodes_(snapshot.nodes.size()) {
    for (const size_t node : selection.order()) {
        for (const graph::SnapshotInput& input : snapshot.nodes[node].inputs) {
            for (const graph::SnapshotOutput& output : heldBy(input)) {
                ++nodes_[output.node].slots[output.port].consumersLeft;
            }
        }
    }
    for (const auto& [node, kept] : selection.kept) {
        for (auto& [port, slot] : nodes_[node].slots) {
            // Holds the whole kept result, so that its bytes remain in the ledger while the run
            // uses them.
            slot.value = memory::WireRef(kept, kept->outputs.at(port).get());
        }
    }
}

memory::WireRef Wires::value(const graph::SnapshotInput& input) const {
    return nodes_[input.sourceNode].slots.at(input.sourcePort).value;
}

std::string Wires::ownerOf(size_t node, const std::string& port) const {
    return snapshot_.nodes[node].id + "." + port;
}

/// A value that already is on another wire (a control node passed it on) is counted there.
std::shared_ptr<const LedgerCharge> Wires::chargeFor(const memory::WireRef& value,
                                                     const std::string& owner) const {
    for (const NodeWires& node : nodes_) {
        for (const auto& [port, slot] : node.slots) {
            if (slot.value == value) {
                return slot.charge;
            }
        }
    }
    return std::make_shared<LedgerCharge>(ledger_, memory::Tag::Wires, owner, *value, devices_);
}

std::vector<size_t> Wires::finish(size_t node, Outputs outputs, std::vector<std::string> files) {
    NodeWires& own = nodes_[node];
    const NodeDesc& desc = *snapshot_.nodes[node].desc;
    own.files = std::move(files);
    own.keep = !desc.control && !desc.sideEffect;
    for (auto& [port, value] : outputs) {
        auto charge = chargeFor(value, ownerOf(node, port));
        Slot& slot = own.slots[port];
        slot.charge = std::move(charge);
        slot.value = std::move(value);
    }
    if (desc.sideEffect) {
        cache_.put(keys_[node], snapshot_.nodes[node].id, {}, own.files);
    }
    outputs.clear();
    for (auto& [port, slot] : own.slots) {
        if (slot.consumersLeft == 0) {
            release(node, slot, port);
        }
    }
    keepWhenComplete(node);
    std::vector<size_t> usedUp;
    for (const graph::SnapshotInput& input : snapshot_.nodes[node].inputs) {
        for (const graph::SnapshotOutput& output : heldBy(input)) {
            Slot& slot = nodes_[output.node].slots.at(output.port);
            if (--slot.consumersLeft == 0) {
                release(output.node, slot, output.port);
                keepWhenComplete(output.node);
                if (isUsedUp(output.node)) {
                    usedUp.push_back(output.node);
                }
            }
        }
    }
    return usedUp;
}

bool Wires::isUsedUp(size_t node) const {
    const auto& slots = nodes_[node].slots;
    return std::all_of(slots.begin(), slots.end(), [](const auto& entry) {
        return entry.second.consumersLeft == 0;
    });
}

/// The outputs that an input holds: the one that feeds it and, behind control nodes, the one that
/// made the value, so that it goes to the host when nobody needs it any more and not before.
std::vector<graph::SnapshotOutput> Wires::heldBy(const graph::SnapshotInput& input) const {
    std::vector<graph::SnapshotOutput> outputs = {{input.sourceNode, input.sourcePort}};
    const auto maker = graph::behindControl(snapshot_, outputs.front());
    if (maker && maker->node != input.sourceNode) {
        outputs.push_back(*maker);
    }
    return outputs;
}

/// Nobody takes this output any more: to host memory when its node's result is kept, else away.
void Wires::release(size_t node, Slot& slot, const std::string& port) {
    NodeWires& own = nodes_[node];
    if (!slot.value) {
        return;
    }
    own.keep = own.keep && slot.charge && slot.charge->total() <= cache_.limitOf(keys_[node]);
    memory::WireRef host = own.keep ? hostCopyOf(slot.value) : nullptr;
    own.keep = host != nullptr;
    if (!own.keep) {
        slot = {.consumersLeft = slot.consumersLeft};
        for (auto& [other, kept] : own.slots) {
            if (kept.onHost) {
                kept = {};
            }
        }
        return;
    }
    slot.onHost = true;
    if (host != slot.value) {
        slot.charge.reset();  // what is on the host already is counted once
        slot.charge = chargeFor(host, ownerOf(node, port));
        slot.value = std::move(host);
    }
}

void Wires::keepWhenComplete(size_t node) {
    NodeWires& own = nodes_[node];
    if (!own.keep || std::any_of(own.slots.begin(), own.slots.end(), [](const auto& entry) {
            return entry.second.value && !entry.second.onHost;
        })) {
        return;
    }
    Outputs outputs;
    for (auto& [port, slot] : own.slots) {
        if (slot.value) {
            outputs.emplace(port, std::move(slot.value));
            slot.charge.reset();
        }
    }
    own.keep = false;
    cache_.put(keys_[node], snapshot_.nodes[node].id, std::move(outputs), own.files);
}

void Wires::finishEarly() {
    for (size_t node = 0; node < nodes_.size(); ++node) {
        for (auto& [port, slot] : nodes_[node].slots) {
            if (!slot.onHost) {
                release(node, slot, port);
            }
        }
        keepWhenComplete(node);
    }
}

}  // namespace lowtide::executor
