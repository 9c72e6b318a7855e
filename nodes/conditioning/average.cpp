#include "nodes/conditioning/conditioning_nodes.hpp"
#include "nodes/shared_params.hpp"

namespace lowtide::nodes {

executor::NodeType averageNode(Stages& stages) {
    return conditioningNode(
        stages,
        {.id = "conditioning.average",
         .label = "Average conditionings",
         .category = "Conditioning",
         .tooltip = "Makes one prompt that lies between two.",
         .inputs = joinedInputs("Counts as much as the share says.",
                                "Counts for the rest; a single prompt."),
         .outputs = conditioningOutputs(),
         .params = {fractionParam("share",
                                  "Share",
                                  "Of the first: 1 is the first alone, 0 the second alone.",
                                  1,
                                  0.01)}},
        [](const executor::Params& params) {
            return ConditioningEdit{.edit = AverageEdit{.share = params.number("share")}};
        });
}

}  // namespace lowtide::nodes
