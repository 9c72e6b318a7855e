#pragma once
// A stage's spec, its run, and its dry run over shapes.

#include "nodes/engine/stage_def.hpp"
#include "nodes/engine/stages.hpp"
#include "plugin/memory/stage_work.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/stage_context.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace lowtide::nodes {

// Stages on shapes alone: the very functions that run them, over a DryRun. Run thread; no
// weight is read. What a stage would refuse is refused here in the same words.

/// The stage with tensors of the shapes that are known in place of its placeholders. Every network
/// runs once for each size of its input; the forwards are those of the whole stage.
[[nodiscard]] memory::StageWork dryRunStage(const Stage& stage,
                                            const StageFacts& facts,
                                            const memory::StageDevices& devices);

/// A dry run of `make`, which makes tensors without networks.
[[nodiscard]] memory::StageWork dryRunTensors(const memory::StageDevices& devices,
                                              const std::function<void()>& make);

/// In a dry run, what lies on the wire into `port`.
[[nodiscard]] at::Tensor onWire(const Shape& shape,
                                const memory::StageDevices& devices,
                                std::string_view port);

/// What is known of a stage before it runs; `ports`: of its outputs. Opens files only where their
/// types matter.
[[nodiscard]] executor::NodeSpec specOfStage(const std::shared_ptr<const Stage>& stage,
                                             const std::vector<PortDesc>& ports,
                                             models::ModelHashes& hashes);

/// Runs it with its components in the precision that is asked for. The context gets them. What it
/// gives is finite, else Error as FiniteChecks has it.
[[nodiscard]] std::vector<WireRef> runStage(const Stage& stage,
                                            models::StageContext& context,
                                            const StageCall& call);

}  // namespace lowtide::nodes
