#include "nodes/control/control_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

ParamDesc thresholdParam(const char* id, const char* label, const char* tooltip, int64_t value) {
    return {.id = id,
            .label = label,
            .tooltip = tooltip,
            .unit = "levels",
            .kind = ParamKind::Int,
            .defaultValue = value,
            .min = 0,
            .max = 2040,
            .softMin = 0,
            .softMax = 255,
            .step = 1};
}

NodeDesc describeCanny() {
    return {
        .id = "control.canny",
        .label = "Canny edges",
        .category = "ControlNet",
        .tooltip = "Draws the edges of a picture, white on black: a hint for a ControlNet.",
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .outputs = {{.id = "image",
                     .label = "Edges",
                     .tooltip = "As large as the pictures: connect them to Apply ControlNet.",
                     .type = "IMAGE"}},
        .params = {
            thresholdParam(
                "low", "Low threshold", "Weaker edges end here: what is below is none.", 100),
            thresholdParam(
                "high", "High threshold", "Edges begin where they are stronger than this.", 200)}};
}

CannyRequest cannyRequest(const executor::Params& params, const WireAt& wire) {
    return {.image = wire("image"), .low = params.integer("low"), .high = params.integer("high")};
}

}  // namespace

executor::NodeType cannyNode(Stages& stages) {
    return stageNode(stages, describeCanny(), cannyRequest);
}

}  // namespace lowtide::nodes
