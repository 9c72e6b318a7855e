#pragma once

#include "plugin/executor/outline_pass.hpp"
#include "plugin/memory/device_spec.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lowtide::executor {

using BytesByDevice = std::map<std::string, Bytes, std::less<>>;

/// What lies on wires while each node at `positions` begins, per device: a value from its maker's
/// end to its last use; on the host also afterwards, where results are kept. A value lies where its
/// node computes: on the device of its policy, else on `main`.
[[nodiscard]] std::vector<BytesByDevice> planWires(const graph::Snapshot& snapshot,
                                                   const OutlinedGraph& outlined,
                                                   std::span<const size_t> positions,
                                                   const memory::DeviceSpec& main);

}  // namespace lowtide::executor
