#include "nodes/stage_call.hpp"
#include "nodes/upscale/upscale_nodes.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeUpscaleWithModel() {
    return {
        .id = "upscale.model",
        .label = "Upscale with model",
        .category = "Upscale",
        .tooltip =
            "Enlarges pictures with a network that adds detail, in tiles where they are "
            "large.",
        .components = {"upscaler"},
        .inputs = {{.id = "upscaler",
                    .label = "Upscaler",
                    .tooltip = "The network; it decides by how much.",
                    .type = "UPSCALER"},
                   {.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"}},
        .outputs = {{.id = "image",
                     .label = "Image",
                     .tooltip = "The enlarged pictures.",
                     .type = "IMAGE"}},
        .params = {{.id = "tile",
                    .label = "Tile",
                    .tooltip = "Side of the tiles of a larger picture, enlarged one after the "
                               "other with blended seams; 0 takes it whole. Saves memory and "
                               "changes pixels.",
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
                    .tooltip = "By how much tiles overlap, at most half of a tile: the more, the "
                               "nearer to the whole picture.",
                    .unit = "px",
                    .kind = ParamKind::Int,
                    .defaultValue = int64_t{64},
                    .min = 0,
                    .max = 4096,
                    .softMin = 0,
                    .softMax = 256,
                    .step = 8,
                    .advanced = true}}};
}

UpscaleWithModelRequest upscaleWithModelRequest(const executor::Params& params,
                                                const WireAt& wire) {
    return {.upscaler = wire("upscaler"),
            .image = wire("image"),
            .tilePixels = params.integer("tile"),
            .overlapPixels = params.integer("overlap"),
            .precision = params.precision()};
}

}  // namespace

executor::NodeType upscaleModelNode(Stages& stages) {
    return stageNode(stages, describeUpscaleWithModel(), upscaleWithModelRequest, "upscale");
}

}  // namespace lowtide::nodes
