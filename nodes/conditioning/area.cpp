#include "nodes/conditioning/conditioning_nodes.hpp"

namespace lowtide::nodes {

namespace {

constexpr double kMostPixels = 16384;

ParamDesc pixels(
    std::string id, std::string label, std::string tooltip, int64_t defaultValue, double least) {
    return {.id = std::move(id),
            .label = std::move(label),
            .tooltip = std::move(tooltip),
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = defaultValue,
            .min = least,
            .max = kMostPixels,
            .softMin = least,
            .softMax = 2048,
            .step = 8};
}

std::vector<ParamDesc> areaParameters() {
    constexpr int64_t kSide = 256;
    constexpr double kLeastSide = 8;
    return {pixels("x", "X", "Left edge in the picture.", 0, 0),
            pixels("y", "Y", "Upper edge in the picture.", 0, 0),
            pixels("width",
                   "Width",
                   "Of the area; what lies beyond the picture's edge is cut.",
                   kSide,
                   kLeastSide),
            pixels("height",
                   "Height",
                   "Of the area; what lies beyond the picture's edge is cut.",
                   kSide,
                   kLeastSide),
            {.id = "strength",
             .label = "Strength",
             .tooltip = "Its share of the average where prompts of other nodes apply too.",
             .kind = ParamKind::Float,
             .defaultValue = 1.0,
             .min = 0,
             .max = 10,
             .softMin = 0,
             .softMax = 2,
             .step = 0.05}};
}

ConditioningEdit editOf(const executor::Params& params) {
    return {.edit = AreaEdit{.area = {.xPixels = params.integer("x"),
                                      .yPixels = params.integer("y"),
                                      .widthPixels = params.integer("width"),
                                      .heightPixels = params.integer("height")},
                             .strength = params.number("strength")}};
}

}  // namespace

executor::NodeType areaNode(Stages& stages) {
    return conditioningNode(stages,
                            {.id = "conditioning.area",
                             .label = "Conditioning area",
                             .category = "Conditioning",
                             .tooltip = "Limits a prompt to one rectangle of the picture.",
                             .inputs = restrictedInputs(),
                             .outputs = conditioningOutputs(),
                             .params = areaParameters()},
                            editOf);
}

}  // namespace lowtide::nodes
