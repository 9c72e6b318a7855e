#include "nodes/mask/mask_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> maskParameters() {
    return {{.id = "channel",
             .label = "Channel",
             .tooltip = "What decides how much is masked.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("brightness"),
             .choices = {{"brightness", "Brightness"},
                         {"red", "Red"},
                         {"green", "Green"},
                         {"blue", "Blue"}}},
            fractionParam("threshold",
                          "Threshold",
                          "From this level on a pixel is masked; 0 masks each as much as its level "
                          "says.",
                          0.5),
            {.id = "invert",
             .label = "Invert",
             .tooltip = "On: dark is masked instead of bright.",
             .kind = ParamKind::Bool,
             .defaultValue = false}};
}

NodeDesc describeMask() {
    return {
        .id = "mask.from_image",
        .label = "Mask from image",
        .category = "Mask",
        .tooltip = "Makes a mask of what a picture shows: bright is made anew, dark stays.",
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .outputs = {{.id = "mask",
                     .label = "Mask",
                     .tooltip = "A mask for each picture.",
                     .type = "MASK"}},
        .params = maskParameters()};
}

MaskRequest maskRequest(const executor::Params& params, const WireAt& wire) {
    return {.image = wire("image"),
            .channel = params.text("channel"),
            .threshold = params.number("threshold"),
            .isInverted = params.flag("invert")};
}

}  // namespace

executor::NodeType maskFromImageNode(Stages& stages) {
    return stageNode(stages, describeMask(), maskRequest);
}

}  // namespace lowtide::nodes
