#include "nodes/conditioning/conditioning_nodes.hpp"
#include "nodes/shared_params.hpp"

namespace lowtide::nodes {

executor::NodeType timeRangeNode(Stages& stages) {
    return conditioningNode(
        stages,
        {.id = "conditioning.time_range",
         .label = "Conditioning time range",
         .category = "Conditioning",
         .tooltip = "Limits a prompt to a part of the denoising.",
         .inputs = restrictedInputs(),
         .outputs = conditioningOutputs(),
         .params =
             {fractionParam("start", "Start", "Share of the schedule; 0 is pure noise.", 0, 0.01),
              fractionParam(
                  "end", "End", "Share of the schedule; 1 is the finished picture.", 1, 0.01)}},
        [](const executor::Params& params) {
            return ConditioningEdit{
                .edit = TimeEdit{.start = params.number("start"), .end = params.number("end")}};
        });
}

}  // namespace lowtide::nodes
