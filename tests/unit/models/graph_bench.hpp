#pragma once

#include "nodes/engine/stages.hpp"
#include "plugin/base/json.hpp"
#include "plugin/executor/node_types.hpp"
#include "plugin/executor/run_queue.hpp"
#include "plugin/graph/overrides.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/tensor/recorder.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <span>
#include <string>

namespace lowtide::testing {

/// The program's nodes, stages and executor over a real residency, for runs of graphs.
class GraphBench {
public:
    /// `families`: of checkpoints; empty: all that are built.
    explicit GraphBench(std::span<const models::Family* const> families = {});

    [[nodiscard]] residency::Residency& residency() { return residency_; }

    [[nodiscard]] nodes::Stages& stages() { return *stages_; }

    [[nodiscard]] const executor::NodeTypes& types() const { return types_; }

    [[nodiscard]] std::shared_ptr<const graph::Snapshot> snapshot(
        const Json& graph, const graph::Overrides& overrides = {}) const;

    /// Nobody hears of the run; what it records replaces what the last one did.
    [[nodiscard]] executor::RunResult run(std::shared_ptr<const graph::Snapshot> snapshot,
                                          const executor::RunOptions& options = {});

    /// A tensor that the last run recorded.
    [[nodiscard]] at::Tensor recorded(const std::string& name) const;

private:
    std::unique_ptr<tensor::Recorder> recorder_;
    residency::Residency residency_;
    std::unique_ptr<nodes::Stages> stages_;
    executor::NodeTypes types_;
    executor::RunQueue queue_;
};

}  // namespace lowtide::testing
