#include "nodes/conditioning/conditioning_nodes.hpp"

namespace lowtide::nodes {

namespace {

ParamDesc share(std::string id, std::string label, std::string tooltip, double defaultValue) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .kind = ParamKind::Float,
            .defaultValue = defaultValue,
            .min = 0,
            .max = 1,
            .softMin = 0,
            .softMax = 1,
            .step = 0.01};
}

}  // namespace

executor::NodeType timeRangeNode(models::Stages& stages) {
    return conditioningNode(
        stages,
        {.id = "conditioning.time_range",
         .label = "Time range of a conditioning",
         .category = "Conditioning",
         .tooltip = "Lets a prompt speak in a part of the denoising.",
         .aliases = {"ConditioningSetTimestepRange"},
         .inputs = restrictedInputs(),
         .outputs = conditioningOutputs(),
         .params = {share("start", "Start", "Share of the schedule; 0 is pure noise.", 0),
                    share("end", "End", "Share of the schedule; 1 is the finished picture.", 1)}},
        [](const executor::Params& params) {
            return models::ConditioningEdit{
                .edit =
                    models::TimeEdit{.start = params.number("start"), .end = params.number("end")}};
        });
}

}  // namespace lowtide::nodes
