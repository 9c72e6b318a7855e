#include "nodes/control/control_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostOfPictures = 10;
constexpr double kUsualOfPictures = 1.5;

std::vector<ParamDesc> ipAdapterParameters() {
    return {{.id = "strength",
             .label = "Strength",
             .tooltip = "How much of what the pictures say is added to what the text says: 1 as "
                        "trained, 0 nothing.",
             .kind = ParamKind::Float,
             .defaultValue = 1.0,
             .min = -kMostOfPictures,
             .max = kMostOfPictures,
             .softMin = 0,
             .softMax = kUsualOfPictures,
             .step = 0.05},
            fractionParam("start",
                          "Start",
                          "Share of the steps of a denoising pass before the pictures are seen.",
                          0),
            fractionParam("end", "End", "Share of the steps after which they are seen no more.", 1),
            {.id = "weights",
             .label = "Picture weights",
             .tooltip = "A number for each picture, with commas between: every picture then speaks "
                        "for itself, so strong. Empty: all are read together.",
             .kind = ParamKind::Text,
             .defaultValue = std::string(),
             .advanced = true}};
}

PortDesc morePictures(std::string id, std::string label) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = "Another picture to follow, of any size.",
            .type = "IMAGE",
            .optional = true};
}

NodeDesc describeApplyIpAdapter() {
    return {.id = "control.ip_adapter",
            .label = "Apply IP-Adapter",
            .category = "ControlNet",
            .tooltip =
                "Makes the denoiser follow pictures as it follows a text: what they show, "
                "their style, a face.",
            .components = {"image_encoder", "image_projection"},
            .inputs = {{.id = "ip_adapter",
                        .label = "IP-Adapter",
                        .tooltip = "The networks that read the pictures.",
                        .type = "IP_ADAPTER"},
                       {.id = "image",
                        .label = "Picture",
                        .tooltip = "What to follow, of any size; of a batch, all pictures.",
                        .type = "IMAGE"},
                       morePictures("image_2", "Picture 2"),
                       morePictures("image_3", "Picture 3"),
                       morePictures("image_4", "Picture 4"),
                       {.id = "mask",
                        .label = "Mask",
                        .tooltip = "Where in the picture that is made they are followed.",
                        .type = "MASK",
                        .optional = true},
                       {.id = "image_prompt",
                        .label = "Image prompt",
                        .tooltip = "Other pictures, which are followed too.",
                        .type = "IMAGE_PROMPT",
                        .optional = true}},
            .outputs = {{.id = "image_prompt",
                         .label = "Image prompt",
                         .tooltip = "All pictures: connect it to Denoise, or to the next ones.",
                         .type = "IMAGE_PROMPT"}},
            .params = ipAdapterParameters()};
}

ImagePromptRequest imagePromptRequest(const executor::Params& params, const WireAt& wire) {
    return {.adapter = wire("ip_adapter"),
            .image = wire("image"),
            .image2 = wire("image_2"),
            .image3 = wire("image_3"),
            .image4 = wire("image_4"),
            .mask = wire("mask"),
            .imagePrompt = wire("image_prompt"),
            .strength = params.number("strength"),
            .start = params.number("start"),
            .end = params.number("end"),
            .weights = params.text("weights"),
            .precision = params.precision()};
}

}  // namespace

executor::NodeType applyIpAdapterNode(Stages& stages) {
    return stageNode(stages, describeApplyIpAdapter(), imagePromptRequest);
}

}  // namespace lowtide::nodes
