#pragma once

#include "plugin/models/stages.hpp"
#include "plugin/nn/component_source.hpp"
#include "plugin/nn/stage_context.hpp"

namespace lowtide::models {

/// What is known of a stage before it runs. Opens files only where their types matter.
[[nodiscard]] StageOutline outlineTask(const StageTask& task, ModelHashes& hashes);

/// Runs it with its components as the request wants their numbers. The context gets them. What it
/// gives is finite, else Error as FiniteChecks has it.
[[nodiscard]] std::vector<WireRef> runTask(const StageTask& task,
                                           StageContext& context,
                                           const StageCall& call);

}  // namespace lowtide::models
