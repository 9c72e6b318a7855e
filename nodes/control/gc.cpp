#include "nodes/control/control_nodes.hpp"

#include <optional>

namespace lowtide::nodes {

namespace {

constexpr int64_t kThresholdOfTheRun = -1;

NodeDesc describeGc() {
    return {.id = "control.gc",
            .label = "Collect memory",
            .category = "Control",
            .tooltip =
                "Gives memory that nobody uses back to device and system when the value "
                "passes.",
            .control = true,
            .inputs = passingInputs(),
            .outputs = passingOutputs(),
            .params = {{.id = "threshold",
                        .label = "Threshold",
                        .tooltip = "Collects when device or host memory is this full. -1: the "
                                   "setting of the run; 0: always.",
                        .unit = "%",
                        .kind = ParamKind::Int,
                        .defaultValue = kThresholdOfTheRun,
                        .min = kThresholdOfTheRun,
                        .max = 100,
                        .softMin = kThresholdOfTheRun,
                        .softMax = 100,
                        .step = 1},
                       {.id = "force",
                        .label = "Force",
                        .tooltip = "Collects even when nothing can be freed.",
                        .kind = ParamKind::Bool,
                        .defaultValue = false}}};
}

void runGc(executor::Context& context) {
    passOn(context);
    const int64_t threshold = context.integer("threshold");
    context.controls().collect(threshold == kThresholdOfTheRun
                                   ? std::nullopt
                                   : std::optional<int>(static_cast<int>(threshold)),
                               context.flag("force"));
}

}  // namespace

executor::NodeType collectNode(Stages&) {
    return {.desc = describeGc(), .spec = passingSpec, .run = runGc};
}

}  // namespace lowtide::nodes
