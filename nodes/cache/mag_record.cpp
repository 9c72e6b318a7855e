#include "nodes/cache/cache_nodes.hpp"

namespace lowtide::nodes {

executor::NodeType magRecordNode(Stages&) {
    return cacheNode(
        {.id = "cache.mag_record",
         .label = "MagCache record",
         .tooltip = "Computes everything and records in the report how what the blocks "
                    "add changes from step to step. lowtide calibrate-cache makes "
                    "curves for the block cache from it."},
        "mag_record");
}

}  // namespace lowtide::nodes
