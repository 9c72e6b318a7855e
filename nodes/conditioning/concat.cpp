#include "nodes/conditioning/conditioning_nodes.hpp"

namespace lowtide::nodes {

executor::NodeType concatNode(Stages& stages) {
    return conditioningNode(
        stages,
        {.id = "conditioning.concat",
         .label = "Concatenate conditionings",
         .category = "Conditioning",
         .tooltip = "Makes one long prompt: the tokens of the second follow those of the first.",
         .inputs = joinedInputs("What is lengthened.", "What is appended; a single prompt."),
         .outputs = conditioningOutputs()},
        [](const executor::Params&) { return ConditioningEdit{.edit = ConcatEdit{}}; });
}

}  // namespace lowtide::nodes
