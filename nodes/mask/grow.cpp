#include "nodes/mask/mask_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> growMaskParameters() {
    return {{.id = "pixels",
             .label = "Grow",
             .tooltip = "By how many pixels the mask becomes larger; smaller below 0.",
             .unit = "px",
             .kind = ParamKind::Int,
             .defaultValue = int64_t{0},
             .min = -512,
             .max = 512,
             .softMin = -64,
             .softMax = 64,
             .step = 1},
            {.id = "corners",
             .label = "Corners",
             .tooltip = "Tapered grows up, down and sideways alone; square grows across too.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("tapered"),
             .choices = {{"tapered", "Tapered"}, {"square", "Square"}}},
            {.id = "feather",
             .label = "Feather",
             .tooltip = "Standard deviation of the blur that softens the edge afterwards; 0: none.",
             .unit = "px",
             .kind = ParamKind::Float,
             .defaultValue = 0.0,
             .min = 0,
             .max = 256,
             .softMin = 0,
             .softMax = 32,
             .step = 1}};
}

NodeDesc describeGrowMask() {
    return {
        .id = "mask.grow",
        .label = "Grow mask",
        .category = "Mask",
        .tooltip = "Makes masks larger or smaller, and softens their edges.",
        .inputs = {{.id = "mask", .label = "Mask", .tooltip = "The masks.", .type = "MASK"}},
        .outputs = {{.id = "mask", .label = "Mask", .tooltip = "The new masks.", .type = "MASK"}},
        .params = growMaskParameters()};
}

MaskGrowRequest growMaskRequest(const executor::Params& params, const WireAt& wire) {
    return {.mask = wire("mask"),
            .pixels = params.integer("pixels"),
            .corners = params.text("corners"),
            .feather = params.number("feather")};
}

}  // namespace

executor::NodeType growMaskNode(Stages& stages) {
    return stageNode(stages, describeGrowMask(), growMaskRequest);
}

}  // namespace lowtide::nodes
