#include "plugin/models/outline_parts.hpp"

#include "plugin/base/dtype.hpp"
#include "plugin/models/precision/stage_precision.hpp"
#include "plugin/models/stage_errors.hpp"
#include "plugin/models/stage_inputs.hpp"

namespace lowtide::models {

Bytes bytesOf(const Shape& shape) {
    return elementCount(shape).value_or(0) * sizeOf(DType::F32);
}

StageOutline outputOf(const char* type, const Shape& shape) {
    return {
        .components = {}, .outputType = type, .outputShape = shape, .tensors = {bytesOf(shape)}};
}

std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> networksOf(
    const WireRef& loaded,
    std::string_view stage,
    const std::vector<memory::ComponentPrecision>& precisions) {
    return [=] {
        return withErrorsOf(stage, [&] {
            const ComponentSource& source = sourceIn(loaded);
            return typedTrees(typedFor(source, precisions), source, precisions);
        });
    };
}

}  // namespace lowtide::models
