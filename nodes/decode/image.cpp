#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describe() {
    return {
        .id = "decode.image",
        .label = "Decode image",
        .category = "Decode",
        .tooltip = "Turns a latent picture into pixels.",
        .aliases = {"VAEDecode"},
        .components = {"autoencoder"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its autoencoder is used.",
                    .type = "MODEL"},
                   {.id = "latent",
                    .label = "Latent",
                    .tooltip = "The latent picture.",
                    .type = "LATENT"}},
        .outputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .params = {{.id = "tile",
                    .label = "Tile",
                    .tooltip = "Side of the tiles to decode one after the other, with blended "
                               "seams; 0 decodes whole. "
                               "Saves memory and changes pixels.",
                    .unit = "px",
                    .kind = ParamKind::Int,
                    .defaultValue = int64_t{0},
                    .min = 0,
                    .max = 4096,
                    .softMin = 0,
                    .softMax = 1024,
                    .step = 64,
                    .advanced = true}}};
}

executor::WorkOutline outline(models::Stages& stages, const executor::OutlineContext& context) {
    models::StageOutline stage = stages.outlineDecode(
        modelOf(context), context.input("latent")->shape, context.integer("tile"));
    return {.components = std::move(stage.components),
            .outputs = {{"image", valueOutline(stage)}},
            .walk = std::move(stage.walk)};
}

}  // namespace

std::vector<executor::NodeType> decode(models::Stages& stages) {
    return {{.desc = describe(),
             .outline =
                 [&stages](const executor::OutlineContext& context) {
                     return outline(stages, context);
                 },
             .run =
                 [&stages](executor::Context& context) {
                     context.output("image",
                                    stages.decodeImage({.model = context.input("model"),
                                                        .latent = context.input("latent"),
                                                        .tilePixels = context.integer("tile")},
                                                       stageCall(context)));
                 },
             .collectAfter = "decode"}};
}

}  // namespace lowtide::nodes
