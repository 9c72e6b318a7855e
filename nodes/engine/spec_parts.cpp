#include "nodes/engine/spec_parts.hpp"

#include "plugin/base/units.hpp"
#include "plugin/nn/conditioning/conditioning_spec.hpp"

namespace lowtide::nodes {

namespace {

void addImageConditioning(const ImageConditioningSpec& imageConditioning,
                          executor::ValueSpec& output) {
    for (const Shape& each : {imageConditioning.extraChannels, imageConditioning.visionEmbeds}) {
        if (!each.empty()) {
            output.tensors.push_back(bytesOf(each));
        }
    }
}

}  // namespace

Bytes bytesOf(const Shape& shape) {
    return elementCount(shape).value_or(0) * sizeOf(DType::F32);
}

executor::ValueSpec outputOf(const char* type, const Shape& shape) {
    return {.type = type, .shape = shape, .tensors = {bytesOf(shape)}};
}

executor::ValueSpec latentOutput(const EmptyLatentSpec& empty) {
    executor::ValueSpec output{
        .type = "LATENT", .shape = {}, .value = std::make_shared<const LatentSpec>(empty)};
    addImageConditioning(empty.imageConditioning, output);
    return output;
}

executor::ValueSpec latentOutput(const Shape& shape, const WireRef& kind) {
    executor::ValueSpec output = outputOf("LATENT", shape);
    output.value = kind;
    if (isDistribution(kind)) {
        output.tensors.push_back(output.tensors.front());
    }
    addImageConditioning(imageConditioningIn(kind), output);
    return output;
}

executor::ValueSpec outputOf(const models::ConditioningSpec& conditioning) {
    return {.type = "CONDITIONING",
            .shape = conditioning.shape(),
            .tensors = conditioning.tensors(),
            .value = std::make_shared<const models::ConditioningSpec>(conditioning)};
}

}  // namespace lowtide::nodes
