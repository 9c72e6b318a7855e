#include "nodes/cache/cache_nodes.hpp"

namespace lowtide::nodes {

namespace {

/// A setting under the name that it has in another program.
ParamDesc otherName(std::string id, std::string label, std::string tooltip) {
    ParamDesc param = countParam(
        std::move(id), std::move(label), std::move(tooltip), "-1: not given", -1, -1, 12);
    param.advanced = true;
    return param;
}

std::vector<ParamDesc> scheduleParameters() {
    ParamDesc power = {.id = "power",
                       .label = "Power",
                       .tooltip =
                           "Of the power-centre schedule: the higher, the denser around the "
                           "centre.",
                       .kind = ParamKind::Float,
                       .defaultValue = 1.4,
                       .min = 1.01,
                       .max = 10,
                       .softMin = 1.02,
                       .softMax = 2,
                       .step = 0.02,
                       .advanced = true};
    ParamDesc centre =
        countParam("centre",
                   "Centre",
                   "Of the power-centre schedule: the call around which full ones are "
                   "densest.",
                   "calls",
                   15,
                   0,
                   50);
    centre.advanced = true;
    return {
        {.id = "schedule",
         .label = "Schedule",
         .tooltip = "How full calls are spread: evenly, denser around one call, or as the mask "
                    "says.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("uniform"),
         .choices = {{"uniform", "Uniform"}, {"power_centre", "Power-centre"}, {"mask", "Mask"}}},
        std::move(power),
        std::move(centre),
        {.id = "mask",
         .label = "Mask",
         .tooltip = "Of the schedule Mask: 1 for a full call, 0 for a partial one, for every "
                    "call of the sampler.",
         .kind = ParamKind::Text,
         .defaultValue = std::string(),
         .advanced = true}};
}

std::vector<ParamDesc> otherNames() {
    return {otherName("cache_interval",
                      "cache_interval",
                      "OneDiff's and the helper's name of the interval; stands before ours."),
            otherName("cache_branch_id",
                      "cache_branch_id",
                      "DeepCacheSDHelper's name of the depth; stands before ours."),
            otherName("cache_layer_id",
                      "cache_layer_id",
                      "OneDiff's, with cache_block_id: depth = 3 x layer + block + 1."),
            otherName("cache_block_id",
                      "cache_block_id",
                      "OneDiff's, with cache_layer_id: depth = 3 x layer + block + 1.")};
}

std::vector<ParamDesc> deepCacheParameters() {
    std::vector<ParamDesc> params = {
        countParam("interval",
                   "Interval",
                   "Calls of the network from one full one to the next. 1 computes everything.",
                   "calls",
                   3,
                   1,
                   10),
        countParam(
            "depth",
            "Depth",
            "How much a partial step computes: 0 is the last layer alone, every level of the "
            "UNet has three depths.",
            "layers",
            1,
            0,
            12)};
    for (ParamDesc& param : scheduleParameters()) {
        params.push_back(std::move(param));
    }
    params.push_back(numberParam(
        "start", "Start", "Fraction of the schedule before which all is computed.", 0, 0, 1, 1));
    params.push_back(numberParam(
        "end", "End", "Fraction of the schedule from which on all is computed.", 1, 0, 1, 1));
    params.push_back(
        countParam("keep_last", "Keep last", "Calls at the end that are full.", "calls", 0, 0, 10));
    params.push_back({.id = "stages",
                      .label = "Solver stages",
                      .tooltip = "For samplers that call the network twice in a step: count calls, "
                                 "or compute every first one fully.",
                      .kind = ParamKind::Choice,
                      .defaultValue = std::string("calls"),
                      .choices = {{"calls", "Count calls"}, {"first_full", "First ones full"}},
                      .advanced = true});
    for (ParamDesc& param : otherNames()) {
        params.push_back(std::move(param));
    }
    return params;
}

}  // namespace

executor::NodeType deepCacheNode(Stages&) {
    return cacheNode({.id = "cache.deepcache",
                      .label = "DeepCache",
                      .tooltip = "Most steps compute the outer layers of the UNet alone and take "
                                 "what lies deeper from the step before. Faster, changes pixels.",
                      .params = deepCacheParameters()},
                     "deepcache");
}

}  // namespace lowtide::nodes
