#include "nodes/cache/cache_nodes.hpp"

namespace lowtide::nodes {

namespace {

std::vector<ParamDesc> parameters() {
    std::vector<ParamDesc> params = {
        {.id = "gate",
         .label = "Gate",
         .tooltip = "What decides: how far the first block's part has changed, or a mask.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("first_block"),
         .choices = {{"first_block", "First block"}, {"mask", "Mask"}}},
        {.id = "threshold",
         .label = "Threshold",
         .tooltip = "Of the gate First block: the change up to which a step is reused. Higher is "
                    "faster and farther from the picture. 0 computes everything.",
         .kind = ParamKind::Float,
         .defaultValue = 0.15,
         .min = 0,
         .max = 10,
         .softMin = 0,
         .softMax = 0.5,
         .step = 0.01},
        {.id = "mask",
         .label = "Mask",
         .tooltip = "Of the gate Mask: 1 for a computed call, 0 for a reused one, for every call "
                    "of the sampler.",
         .kind = ParamKind::Text,
         .defaultValue = std::string(),
         .advanced = true},
        {.id = "predictor",
         .label = "Predictor",
         .tooltip = "What stands for the other blocks: what they gave last, or the line through "
                    "the last two.",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("reuse"),
         .choices = {{"reuse", "Reuse"}, {"taylor", "Line (Taylor 1)"}}}};
    for (ParamDesc& param : limitParams(3, 3)) {
        params.push_back(std::move(param));
    }
    return params;
}

}  // namespace

executor::NodeType blockCacheNode(models::Stages& stages) {
    return cacheNode(
        stages,
        {.id = "cache.block",
         .label = "Block cache",
         .tooltip = "Computes the first block of the network in every step; as long as "
                    "it changes little, the others are taken from a step before. "
                    "Faster, changes pixels.",
         .aliases = {"FBCache", "First Block Cache", "ApplyFBCacheOnModel"},
         .params = parameters()},
        "block_cache");
}

}  // namespace lowtide::nodes
