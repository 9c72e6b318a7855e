#pragma once
// What the nodes that load LoRAs have in common.

#include "nodes/engine/stages.hpp"
#include "plugin/executor/node.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lowtide::nodes {

/// File, strength and text strength of one LoRA, with `suffix` behind their ids and labels.
[[nodiscard]] std::vector<ParamDesc> loraParams(const std::string& suffix = {});

/// The model as the LoRA of these parameters changes it. Errors and warnings are about its file.
[[nodiscard]] LoadedModel withLora(Stages& stages,
                                   const executor::Params& params,
                                   const memory::WireRef& model,
                                   std::string_view graphFolder,
                                   const std::string& suffix = {});

/// What a node makes of the model that comes in.
using ModelAdaptation = LoadedModel (*)(Stages& stages,
                                        const executor::Params& params,
                                        const memory::WireRef& model,
                                        std::string_view graphFolder);

/// A node of `desc` and its parameters that hands on the model as `adapt` makes it.
[[nodiscard]] executor::NodeType adaptedModelNode(Stages& stages,
                                                  NodeDesc desc,
                                                  ModelAdaptation adapt);

}  // namespace lowtide::nodes
