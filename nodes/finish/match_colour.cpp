#include "nodes/finish/finish_nodes.hpp"
#include "nodes/shared_params.hpp"
#include "nodes/stage_call.hpp"

namespace lowtide::nodes {

namespace {

NodeDesc describeMatchColour() {
    return {
        .id = "finish.match_colour",
        .label = "Match colour",
        .category = "Finish",
        .tooltip = "Gives pictures the colours of another picture.",
        .inputs = {{.id = "image", .label = "Image", .tooltip = "The pictures.", .type = "IMAGE"},
                   {.id = "reference",
                    .label = "Reference",
                    .tooltip = "Whose colours they get: one picture, or one for each; any size.",
                    .type = "IMAGE"}},
        .outputs = {{.id = "image",
                     .label = "Image",
                     .tooltip = "The pictures in those colours.",
                     .type = "IMAGE"}},
        .params = {
            choiceParam("method",
                        "Method",
                        "What is made equal: how often each level occurs in red, green and "
                        "blue, or mean and spread of lightness and colour.",
                        {{"histogram", "Histograms"}, {"statistics", "Mean and deviation (Lab)"}}),
            fractionParam("strength",
                          "Strength",
                          "Share of the new colours in the result; 0 leaves all as it is.",
                          1)}};
}

MatchColourRequest matchColourRequest(const executor::Params& params, const WireAt& wire) {
    return {.image = wire("image"),
            .reference = wire("reference"),
            .method = params.text("method"),
            .strength = params.number("strength")};
}

}  // namespace

executor::NodeType matchColourNode(Stages& stages) {
    return stageNode(stages, describeMatchColour(), matchColourRequest);
}

}  // namespace lowtide::nodes
