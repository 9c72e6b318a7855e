#include "nodes/control/control_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostControl = 10;
constexpr double kUsualControl = 2;

std::vector<ParamDesc> controlParameters() {
    return {{.id = "strength",
             .label = "Strength",
             .tooltip = "How much of what the network finds is added: 1 as trained, 0 nothing, "
                        "without running it.",
             .kind = ParamKind::Float,
             .defaultValue = 1.0,
             .min = -kMostControl,
             .max = kMostControl,
             .softMin = 0,
             .softMax = kUsualControl,
             .step = 0.05},
            fractionParam("start",
                          "Start",
                          "Share of the steps of a denoising pass before it joins; until then it "
                          "is not run.",
                          0),
            fractionParam("end", "End", "Share of the steps after which it is run no more.", 1),
            {.id = "mode",
             .label = "Mode",
             .tooltip = "Which of prompt and hint wins. The second is the guess mode of diffusers: "
                        "it works without a prompt too.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("balanced"),
             .choices = {{"balanced", "Balanced"},
                         {"guess", "Hint is more important"},
                         {"prompt", "Prompt is more important"}}},
            {.id = "invert",
             .label = "Invert hint",
             .tooltip = "For black lines on white, where the network learnt white on black.",
             .kind = ParamKind::Bool,
             .defaultValue = false,
             .advanced = true}};
}

NodeDesc describeApplyControl() {
    return {.id = "control.apply",
            .label = "Apply ControlNet",
            .category = "ControlNet",
            .tooltip = "Makes the denoiser follow a hint picture: edges, depth, a pose.",
            .inputs = {{.id = "image",
                        .label = "Hint",
                        .tooltip = "What the network learnt to read, of any size: one picture, or "
                                   "one for each of the batch.",
                        .type = "IMAGE"},
                       {.id = "controlnet",
                        .label = "ControlNet",
                        .tooltip = "The network that reads the hint.",
                        .type = "CONTROLNET"},
                       {.id = "control",
                        .label = "Control",
                        .tooltip = "Other hints, which are followed too.",
                        .type = "CONTROL",
                        .optional = true}},
            .outputs = {{.id = "control",
                         .label = "Control",
                         .tooltip = "All hints: connect it to Denoise, or to the next hint.",
                         .type = "CONTROL"}},
            .params = controlParameters()};
}

ControlRequest controlRequest(const executor::Params& params, const WireAt& wire) {
    return {.controlnet = wire("controlnet"),
            .image = wire("image"),
            .control = wire("control"),
            .strength = params.number("strength"),
            .start = params.number("start"),
            .end = params.number("end"),
            .mode = params.text("mode"),
            .isInverted = params.flag("invert")};
}

}  // namespace

executor::NodeType applyControlNode(Stages& stages) {
    return stageNode(stages, describeApplyControl(), controlRequest);
}

}  // namespace lowtide::nodes
