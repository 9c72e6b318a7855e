#include "nodes/param_descs.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeDecode() {
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
        .params = {
            tileParam("Side of the tiles to decode one after the other, with blended seams; 0 "
                      "decodes whole. Saves memory and changes pixels.")}};
}

models::DecodeRequest decodeSettings(const executor::Params& params) {
    return {.tilePixels = params.integer("tile"), .precision = params.precision()};
}

executor::WorkOutline outlineDecode(models::Stages& stages,
                                    const executor::OutlineContext& context) {
    models::DecodeRequest settings = decodeSettings(context);
    settings.model = modelOf(context);
    return workOutline(stages.outlineDecode(context.input("latent")->shape, settings), "image");
}

void runDecode(models::Stages& stages, executor::Context& context) {
    models::DecodeRequest request = decodeSettings(context);
    request.model = context.input("model");
    request.latent = context.input("latent");
    context.output("image", stages.decodeImage(request, stageCall(context)));
}

}  // namespace

std::vector<executor::NodeType> decode(models::Stages& stages) {
    return {stageNode(stages, describeDecode(), outlineDecode, runDecode, "decode")};
}

}  // namespace lowtide::nodes
