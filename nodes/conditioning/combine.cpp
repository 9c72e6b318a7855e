#include "nodes/conditioning/conditioning_nodes.hpp"

namespace lowtide::nodes {

executor::NodeType combineNode(Stages& stages) {
    return conditioningNode(
        stages,
        {.id = "conditioning.combine",
         .label = "Combine conditionings",
         .category = "Conditioning",
         .tooltip = "Applies both: what the denoiser predicts for each is averaged.",
         .inputs = joinedInputs("One or several prompts.", "One or several more."),
         .outputs = conditioningOutputs()},
        [](const executor::Params&) { return ConditioningEdit{.edit = CombineEdit{}}; });
}

}  // namespace lowtide::nodes
