#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> parameters() {
    return {{.id = "channel",
             .label = "Channel",
             .tooltip = "What of the picture says how much is masked.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("brightness"),
             .choices = {{"brightness", "Brightness"},
                         {"red", "Red"},
                         {"green", "Green"},
                         {"blue", "Blue"}}},
            {.id = "threshold",
             .label = "Threshold",
             .tooltip = "From this level on a pixel is masked; 0 masks each as much as its level "
                        "says.",
             .kind = ParamKind::Float,
             .defaultValue = 0.5,
             .min = 0,
             .max = 1,
             .softMin = 0,
             .softMax = 1,
             .step = 0.05},
            {.id = "invert",
             .label = "Invert",
             .tooltip = "On: dark is masked instead of bright.",
             .kind = ParamKind::Bool,
             .defaultValue = false}};
}

NodeDesc describe() {
    return {
        .id = "mask.from_image",
        .label = "Mask from image",
        .category = "Mask",
        .tooltip = "Makes a mask of what a picture shows: bright is made anew, dark stays.",
        .aliases = {"ImageToMask", "ImageColorToMask", "InvertMask"},
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .outputs = {{.id = "mask",
                     .label = "Mask",
                     .tooltip = "A mask for each picture.",
                     .type = "MASK"}},
        .params = parameters()};
}

models::MaskRequest settingsOf(const executor::Params& params) {
    return {.channel = params.text("channel"),
            .threshold = params.number("threshold"),
            .isInverted = params.flag("invert")};
}

executor::WorkOutline outline(models::Stages& stages, const executor::OutlineContext& context) {
    models::StageOutline stage =
        stages.outlineMask(context.input("image")->shape, settingsOf(context));
    return {.outputs = {{"mask", valueOutline(stage)}}, .walk = std::move(stage.walk)};
}

void run(models::Stages& stages, executor::Context& context) {
    models::MaskRequest request = settingsOf(context);
    request.image = context.input("image");
    context.output("mask", stages.makeMask(request, stageCall(context)));
}

}  // namespace

std::vector<executor::NodeType> mask(models::Stages& stages) {
    return {{.desc = describe(),
             .outline =
                 [&stages](const executor::OutlineContext& context) {
                     return outline(stages, context);
                 },
             .run = [&stages](executor::Context& context) { run(stages, context); }}};
}

}  // namespace lowtide::nodes
