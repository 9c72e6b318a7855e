#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> parameters() {
    return {{.id = "tile",
             .label = "Tile",
             .tooltip = "Side of the tiles to encode one after the other, with blended seams; 0 "
                        "encodes whole. Saves memory and changes pixels.",
             .unit = "px",
             .kind = ParamKind::Int,
             .defaultValue = int64_t{0},
             .min = 0,
             .max = 4096,
             .softMin = 0,
             .softMax = 1024,
             .step = 64,
             .advanced = true},
            {.id = "sampling",
             .label = "Sampling",
             .tooltip = "What is taken of the many latents that a picture may have: a sample, "
                        "drawn by the denoiser with its seed, or their mean.",
             .kind = ParamKind::Choice,
             .defaultValue = std::string("sample"),
             .choices = {{"sample", "A sample, by the denoiser's seed"},
                         {"mean", "The mean, for every seed"}},
             .advanced = true}};
}

NodeDesc describe() {
    return {
        .id = "encode.image",
        .label = "Encode image",
        .category = "Encode",
        .tooltip = "Turns pixels into a latent picture for the denoiser to go on with.",
        .aliases = {"VAEEncode", "VAEEncodeTiled"},
        .components = {"autoencoder"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its autoencoder is used.",
                    .type = "MODEL"},
                   {.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"},
                   {.id = "mask",
                    .label = "Mask",
                    .tooltip = "What it covers is made grey first: the masked picture of a "
                               "checkpoint that fills masks.",
                    .type = "MASK",
                    .optional = true}},
        .outputs = {{.id = "latent",
                     .label = "Latent",
                     .tooltip = "The latent picture.",
                     .type = "LATENT"}},
        .params = parameters()};
}

models::ImageEncodeRequest settingsOf(const executor::Params& params) {
    return {.tilePixels = params.integer("tile"), .sampling = params.text("sampling")};
}

executor::WorkOutline outline(models::Stages& stages, const executor::OutlineContext& context) {
    models::ImageEncodeRequest settings = settingsOf(context);
    settings.model = modelOf(context);
    models::StageOutline stage = stages.outlineEncodeImage(
        {.image = context.input("image")->shape, .mask = shapeOf(context, "mask")}, settings);
    return {.components = std::move(stage.components),
            .outputs = {{"latent", valueOutline(stage)}},
            .walk = std::move(stage.walk)};
}

void run(models::Stages& stages, executor::Context& context) {
    models::ImageEncodeRequest request = settingsOf(context);
    request.model = context.input("model");
    request.image = context.input("image");
    request.mask = context.input("mask");
    context.output("latent", stages.encodeImage(request, stageCall(context)));
}

}  // namespace

std::vector<executor::NodeType> encode(models::Stages& stages) {
    return {{.desc = describe(),
             .outline =
                 [&stages](const executor::OutlineContext& context) {
                     return outline(stages, context);
                 },
             .run = [&stages](executor::Context& context) { run(stages, context); },
             .collectAfter = "image encode"}};
}

}  // namespace lowtide::nodes
