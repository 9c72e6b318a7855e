#pragma once

#include "plugin/executor/outline_pass.hpp"
#include "plugin/memory/plan.hpp"

#include <map>
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
/// `devices`: of nodeDevices(). Its walk counts the copies that it takes of them.
[[nodiscard]] std::vector<std::string> inputsElsewhere(const graph::Snapshot& snapshot,
                                                       std::span<const size_t> positions,
                                                       std::span<const memory::DeviceSpec> devices,
                                                       size_t node);

/// What lies on wires when each node at `positions` begins and, as one more entry, when the last
/// one has ended, per device: a value from its maker's end to its last use, also behind control
/// nodes; on the host also afterwards, where results are kept. `devices`: of nodeDevices().
[[nodiscard]] std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                                   const OutlinedGraph& outlined,
                                                   std::span<const size_t> positions,
                                                   std::span<const memory::DeviceSpec> devices);

}  // namespace lowtide::executor
