#include "nodes/finish/finish_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> sharpenParameters() {
    return {{.id = "radius",
             .label = "Radius",
             .tooltip = "How far edges reach: the standard deviation of the blur that is taken "
                        "away.",
             .unit = "px",
             .kind = ParamKind::Float,
             .defaultValue = 2.0,
             .min = 0,
             .max = 100,
             .softMin = 0,
             .softMax = 10,
             .step = 0.5},
            {.id = "percent",
             .label = "Percent",
             .tooltip = "How strongly: the share of the difference to the blurred picture that is "
                        "added.",
             .unit = "%",
             .kind = ParamKind::Float,
             .defaultValue = 150.0,
             .min = 0,
             .max = 1000,
             .softMin = 0,
             .softMax = 300,
             .step = 10},
            {.id = "threshold",
             .label = "Threshold",
             .tooltip = "Differences of at most so many levels (of 255) are left alone, so that "
                        "noise in even places stays as it is.",
             .kind = ParamKind::Float,
             .defaultValue = 3.0,
             .min = 0,
             .max = 255,
             .softMin = 0,
             .softMax = 20,
             .step = 1}};
}

NodeDesc describeSharpen() {
    return {
        .id = "finish.sharpen",
        .label = "Sharpen",
        .category = "Finish",
        .tooltip = "Makes edges stronger, with an unsharp mask.",
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .outputs = {{.id = "image",
                     .label = "Image",
                     .tooltip = "The sharper pictures.",
                     .type = "IMAGE"}},
        .params = sharpenParameters()};
}

SharpenRequest sharpenRequest(const executor::Params& params, const WireAt& wire) {
    return {.image = wire("image"),
            .radius = params.number("radius"),
            .percent = params.number("percent"),
            .threshold = params.number("threshold")};
}

}  // namespace

executor::NodeType sharpenNode(Stages& stages) {
    return stageNode(stages, describeSharpen(), sharpenRequest);
}

}  // namespace lowtide::nodes
