#include "nodes/control/control_nodes.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kDisk = "disk";

NodeDesc describeResultCache() {
    return {.id = "control.result_cache",
            .label = "Result cache",
            .category = "Control",
            .tooltip = "Keeps the value that passes, so that what made it need not run again.",
            .control = true,
            .inputs = passingInputs(),
            .outputs = passingOutputs(),
            .params = {{.id = "where",
                        .label = "Where",
                        .tooltip = "Memory lasts as long as the program; disk outlives it.",
                        .kind = ParamKind::Choice,
                        .defaultValue = std::string("memory"),
                        .choices = {{"memory", "Memory"}, {kDisk, "Disk"}}},
                       {.id = "limit",
                        .label = "Limit",
                        .tooltip = "Size of all values that are kept there together; the ones "
                                   "used longest ago go first.",
                        .unit = "MiB",
                        .kind = ParamKind::Int,
                        .defaultValue = int64_t{1024},
                        .min = 0,
                        .max = 1 << 20,
                        .softMin = 16,
                        .softMax = 16384,
                        .step = 16}}};
}

executor::NodeSpec specOfResultCache(const executor::SpecContext& context) {
    executor::NodeSpec work = passingSpec(context);
    work.keep = {.target = context.text("where") == kDisk ? executor::KeepTarget::Disk
                                                          : executor::KeepTarget::Memory,
                 .limit = context.integer("limit") * kMiB};
    return work;
}

}  // namespace

executor::NodeType resultCacheNode(Stages&) {
    return {.desc = describeResultCache(), .spec = specOfResultCache, .run = passOn};
}

}  // namespace lowtide::nodes
