#include "plugin/executor/run_controls.hpp"

#include <utility>

namespace lowtide::executor {

RunControls::RunControls(memory::Engine& engine,
                         Collections& collections,
                         const graph::SnapshotNode& node,
                         memory::DeviceSpec device,
                         Json& report)
    : engine_(engine),
      collections_(collections),
      node_(node),
      device_(std::move(device)),
      report_(report) {}

/// What the ledger has on the node's device, and what the process has in RAM.
Json RunControls::held() {
    return {{"device", engine_.ledger().bytesOn(device_.id())},
            {"host", engine_.memoryState(device_).hostUsed}};
}

void RunControls::offload(std::span<const std::string> components, bool dropHost) {
    Json entry = {{"node", node_.id},
                  {"action", dropHost ? "drop" : "evict"},
                  {"components", Json::array()},
                  {"before", held()}};
    Bytes given = 0;
    for (const std::string& component : components) {
        const Bytes bytes = engine_.offload(component, dropHost);
        engine_.ledger().event("offload", device_.id(), node_.id, component, bytes);
        entry["components"].push_back(component);
        given += bytes;
    }
    entry["bytes"] = given;
    entry["after"] = held();
    report_.push_back(std::move(entry));
}

void RunControls::collect(std::optional<int> threshold, bool isForced) {
    Json entry = {{"node", node_.id}, {"action", "collect"}, {"before", held()}};
    entry["ran"] = collections_.at({.name = node_.desc->id,
                                    .node = node_.id,
                                    .device = device_,
                                    .threshold = threshold,
                                    .isForced = isForced});
    entry["after"] = held();
    report_.push_back(std::move(entry));
}

}  // namespace lowtide::executor
