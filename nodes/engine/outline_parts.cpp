#include "nodes/engine/outline_parts.hpp"

#include "plugin/base/units.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"

namespace lowtide::nodes {

namespace {

void addGuide(const GuideOutline& guide, executor::ValueOutline& output) {
    for (const Shape& each : {guide.beside, guide.seen}) {
        if (!each.empty()) {
            output.tensors.push_back(bytesOf(each));
        }
    }
}

}  // namespace

Bytes bytesOf(const Shape& shape) {
    return elementCount(shape).value_or(0) * sizeOf(DType::F32);
}

executor::ValueOutline outputOf(const char* type, const Shape& shape) {
    return {.type = type, .shape = shape, .tensors = {bytesOf(shape)}};
}

executor::ValueOutline latentOutput(const EmptyOutline& empty) {
    executor::ValueOutline output{
        .type = "LATENT", .shape = {}, .value = std::make_shared<const LatentOutline>(empty)};
    addGuide(empty.guide, output);
    return output;
}

executor::ValueOutline latentOutput(const Shape& shape, const WireRef& kind) {
    executor::ValueOutline output = outputOf("LATENT", shape);
    output.value = kind;
    if (isDistribution(kind)) {
        output.tensors.push_back(output.tensors.front());
    }
    addGuide(guideIn(kind), output);
    return output;
}

executor::ValueOutline outputOf(const models::ConditioningOutline& conditioning) {
    return {.type = "CONDITIONING",
            .shape = conditioning.shape(),
            .tensors = conditioning.tensors(),
            .value = std::make_shared<const models::ConditioningOutline>(conditioning)};
}

}  // namespace lowtide::nodes
