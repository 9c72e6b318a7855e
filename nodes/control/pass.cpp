#include "nodes/control/control_nodes.hpp"

namespace lowtide::nodes {

namespace {

constexpr const char* kValue = "value";

}  // namespace

std::vector<PortDesc> passingInputs() {
    return {{.id = kValue,
             .label = "Value",
             .tooltip = "Any value; it leaves unchanged.",
             .type = "*"}};
}

std::vector<PortDesc> passingOutputs() {
    return {{.id = kValue,
             .label = "Value",
             .tooltip = "The value that came in. Nodes behind it run after this one.",
             .type = "*"}};
}

PortDesc modelInput(std::string tooltip) {
    return {.id = "model",
            .label = "Model",
            .tooltip = std::move(tooltip),
            .type = "MODEL",
            .optional = true};
}

executor::NodeSpec passingSpec(const executor::SpecContext& context) {
    return {.outputs = {{kValue, *context.input(kValue)}}};
}

void passOn(executor::Context& context) {
    context.output(kValue, context.input(kValue));
}

}  // namespace lowtide::nodes
