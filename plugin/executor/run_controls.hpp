#pragma once

#include "plugin/executor/collections.hpp"
#include "plugin/executor/node.hpp"
#include "plugin/graph/snapshot.hpp"

namespace lowtide::executor {

/// What one control node does to memory, told in the run's report.
class RunControls final : public Controls {
public:
    /// `device` is the node's; entries are appended to `report`. Everything must outlive this.
    RunControls(memory::Engine& engine,
                Collections& collections,
                const graph::SnapshotNode& node,
                memory::DeviceSpec device,
                Json& report);

    void offload(std::span<const std::string> components, bool dropHost) override;
    void collect(std::optional<int> threshold, bool isForced) override;

private:
    [[nodiscard]] Json held();

    memory::Engine& engine_;
    Collections& collections_;
    const graph::SnapshotNode& node_;
    memory::DeviceSpec device_;
    Json& report_;
};

}  // namespace lowtide::executor
