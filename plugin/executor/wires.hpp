#pragma once
// The values between nodes: where they are made and what lies there as planned before a run, and
// what does during it.

#include "plugin/executor/graph_spec.hpp"
#include "plugin/executor/result_cache.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/memory/plan.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

using BytesByDevice = std::map<std::string, Bytes, std::less<>>;

/// Where each node of the snapshot computes when those at `positions` execute with `work` (their
/// policies and networks): on the device of its networks' policy; without networks on the device of
/// its own, else where its first input lies; with neither, and for control nodes, on `main`. What
/// does not execute was kept on the host.
[[nodiscard]] std::vector<memory::DeviceSpec> nodeDevices(const graph::Snapshot& snapshot,
                                                          std::span<const size_t> positions,
                                                          std::span<const memory::NodeWork> work,
                                                          const memory::DeviceSpec& main);

/// Ports of `node`, one of `positions`, whose values lie on another device than it computes on;
/// `devices`: of nodeDevices(). Its dry run counts the copies that it takes of them.
[[nodiscard]] std::vector<std::string> inputsElsewhere(const graph::Snapshot& snapshot,
                                                       std::span<const size_t> positions,
                                                       std::span<const memory::DeviceSpec> devices,
                                                       size_t node);

/// What lies on wires when each node at `positions` begins and, as one more entry, when the last
/// one has ended, per device: a value from its maker's end to its last use, also behind control
/// nodes; on the host also afterwards, where results are kept. `devices`: of nodeDevices().
[[nodiscard]] std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                                   const GraphSpec& graphSpec,
                                                   std::span<const size_t> positions,
                                                   std::span<const memory::DeviceSpec> devices);

/// The values on the wires during one run. A value is let go after its last consumer: what is worth
/// keeping moves to host memory and, once all outputs of its node have, into the result cache.
/// Bytes stand in the ledger as Tag::Wires under "node.port". Run thread only.
class Wires {
public:
    using Outputs = std::map<std::string, memory::WireRef, std::less<>>;

    /// `devices`: ids of all devices on which values can be. Everything must outlive the wires.
    Wires(const graph::Snapshot& snapshot,
          const Selection& selection,
          std::span<const std::string> keys,
          std::span<const std::string> devices,
          memory::Ledger& ledger,
          ResultCache& cache);

    [[nodiscard]] memory::WireRef value(const graph::SnapshotInput& input) const;
    /// The results of a node that ran: then its inputs count as used once more. Returns the nodes
    /// of which nobody takes an output any more since then.
    std::vector<size_t> finish(size_t node, Outputs outputs, std::vector<std::string> files);
    /// After a failure or cancel: keeps the results of nodes that finished, lets go of everything.
    void finishEarly();

private:
    struct Slot {
        memory::WireRef value;
        std::shared_ptr<const LedgerCharge> charge;
        size_t consumersLeft = 0;
        bool onHost = false;
    };

    struct NodeWires {
        std::map<std::string, Slot, std::less<>> slots;
        std::vector<std::string> files;
        bool keep = false;
    };

    std::vector<graph::SnapshotOutput> heldBy(const graph::SnapshotInput& input) const;
    std::string ownerOf(size_t node, const std::string& port) const;
    std::shared_ptr<const LedgerCharge> chargeFor(const memory::WireRef& value,
                                                  const std::string& owner) const;
    void release(size_t node, Slot& slot, const std::string& port);
    void keepWhenComplete(size_t node);
    [[nodiscard]] bool isUsedUp(size_t node) const;

    const graph::Snapshot& snapshot_;
    std::span<const std::string> keys_;
    std::span<const std::string> devices_;
    memory::Ledger& ledger_;
    ResultCache& cache_;
    std::vector<NodeWires> nodes_;
};

}  // namespace lowtide::executor
