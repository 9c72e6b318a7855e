#include "nodes/engine/outline_parts.hpp"

#include "plugin/base/units.hpp"
#include "plugin/nn/conditioning/conditioning_outline.hpp"

namespace lowtide::nodes {

namespace {

void addGuide(const GuideOutline& guide, StageOutput& output) {
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

StageOutput outputOf(const char* type, const Shape& shape) {
    return {.type = type, .shape = shape, .tensors = {bytesOf(shape)}};
}

StageOutput latentOutput(const EmptyOutline& empty) {
    StageOutput output{
        .type = "LATENT", .shape = {}, .value = std::make_shared<const LatentOutline>(empty)};
    addGuide(empty.guide, output);
    return output;
}

StageOutput latentOutput(const Shape& shape, const WireRef& kind) {
    StageOutput output = outputOf("LATENT", shape);
    output.value = kind;
    if (isDistribution(kind)) {
        output.tensors.push_back(output.tensors.front());
    }
    addGuide(guideIn(kind), output);
    return output;
}

StageOutput outputOf(const models::ConditioningOutline& conditioning) {
    return {.type = "CONDITIONING",
            .shape = conditioning.shape(),
            .value = std::make_shared<const models::ConditioningOutline>(conditioning),
            .tensors = conditioning.tensors()};
}

}  // namespace lowtide::nodes
