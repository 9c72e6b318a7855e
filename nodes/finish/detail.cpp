#include "nodes/finish/finish_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> detailParameters(Stages& stages) {
    return {
        fractionParam("strength",
                      "Strength",
                      "How much of each tile is made anew: the last steps of the schedule that "
                      "are taken, as a share of all.",
                      0.3),
        {.id = "tile",
         .label = "Tile",
         .tooltip = "Side of the tiles, best the size for which the model was trained; 0 takes "
                    "pictures whole.",
         .unit = "px",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{512},
         .min = 0,
         .max = 8192,
         .softMin = 0,
         .softMax = 1024,
         .step = 64},
        {.id = "overlap",
         .label = "Overlap",
         .tooltip = "By how much tiles overlap and fade into each other, at most half of a tile.",
         .unit = "px",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{64},
         .min = 0,
         .max = 4096,
         .softMin = 0,
         .softMax = 256,
         .step = 8,
         .advanced = true},
        stepsParam(),
        guidanceParam(),
        seedParam("Start of the noise of the first tile; the next ones have seed + 1, + 2, ..."),
        samplerParam(stages),
        sigmasParam(),
        spacingParam()};
}

NodeDesc describeDetail(Stages& stages) {
    return {
        .id = "finish.detail",
        .label = "Add detail",
        .category = "Finish",
        .tooltip = "Lets the model draw fine detail anew, tile by tile, at a low strength.",
        .version = 2,  // what a strength takes of a flow's steps
        .components = {"autoencoder", "denoiser", "controlnet*"},
        .inputs = {{.id = "model",
                    .label = "Model",
                    .tooltip = "Its autoencoder and its denoiser are used.",
                    .type = "MODEL"},
                   {.id = "positive",
                    .label = "Positive",
                    .tooltip = "What the tiles should show; general words work best.",
                    .type = "CONDITIONING"},
                   {.id = "negative",
                    .label = "Negative",
                    .tooltip = "What they should not show; needed when guidance is above 1.",
                    .type = "CONDITIONING",
                    .optional = true},
                   {.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"},
                   {.id = "control",
                    .label = "Control",
                    .tooltip = "Hints that ControlNets follow; every tile gets its part of them.",
                    .type = "CONTROL",
                    .optional = true},
                   {.id = "image_prompt",
                    .label = "Image prompt",
                    .tooltip = "What IP-Adapters read in pictures, for every tile.",
                    .type = "IMAGE_PROMPT",
                    .optional = true}},
        .outputs = {{.id = "image",
                     .label = "Image",
                     .tooltip = "The pictures with more detail.",
                     .type = "IMAGE"}},
        .params = detailParameters(stages)};
}

DetailRequest detailRequest(const executor::Params& params, const WireAt& wire) {
    return {.model = wire("model"),
            .positive = wire("positive"),
            .negative = wire("negative"),
            .image = wire("image"),
            .control = wire("control"),
            .imagePrompt = wire("image_prompt"),
            .tilePixels = params.integer("tile"),
            .overlapPixels = params.integer("overlap"),
            .steps = static_cast<int>(params.integer("steps")),
            .cfg = params.number("cfg"),
            .seed = params.seed("seed"),
            .sampler = params.text("sampler"),
            .sigmas = params.text("sigmas"),
            .spacing = params.text("spacing"),
            .strength = params.number("strength"),
            .precision = params.precision()};
}

}  // namespace

executor::NodeType detailNode(Stages& stages) {
    return stageNode(stages, describeDetail(stages), detailRequest, "denoise");
}

}  // namespace lowtide::nodes
