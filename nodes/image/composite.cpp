#include "nodes/image/image_nodes.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

ParamDesc placeParam(std::string id, std::string label, std::string tooltip) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{0},
            .min = -65536,
            .max = 65536,
            .softMin = 0,
            .softMax = 2048,
            .step = 8};
}

NodeDesc describeComposite() {
    return {.id = "image.composite",
            .label = "Composite images",
            .category = "Image",
            .tooltip =
                "Lays pictures on others, where a mask shows them: pastes back what was "
                "made anew.",
            .inputs = {{.id = "destination",
                        .label = "Destination",
                        .tooltip = "The pictures below.",
                        .type = "IMAGE"},
                       {.id = "source",
                        .label = "Source",
                        .tooltip = "The pictures that are laid on them.",
                        .type = "IMAGE"},
                       {.id = "mask",
                        .label = "Mask",
                        .tooltip = "1 shows the source, 0 the destination; without one all of the "
                                   "source is seen.",
                        .type = "MASK",
                        .optional = true}},
            .outputs = {{.id = "image",
                         .label = "Image",
                         .tooltip = "The pictures, as large as the destination.",
                         .type = "IMAGE"}},
            .params = {placeParam("x", "X", "Where the left edge of the source lies."),
                       placeParam("y", "Y", "Where the upper edge of the source lies."),
                       {.id = "resize_source",
                        .label = "Resize source",
                        .tooltip = "On: the source gets the destination's size first.",
                        .kind = ParamKind::Bool,
                        .defaultValue = false}}};
}

CompositeRequest compositeRequest(const executor::Params& params, const WireAt& wire) {
    return {.destination = wire("destination"),
            .source = wire("source"),
            .mask = wire("mask"),
            .xPixels = params.integer("x"),
            .yPixels = params.integer("y"),
            .isResized = params.flag("resize_source")};
}

}  // namespace

executor::NodeType compositeImageNode(Stages& stages) {
    return stageNode(stages, describeComposite(), compositeRequest);
}

}  // namespace lowtide::nodes
