#include "plugin/models/outline_parts.hpp"

#include "plugin/base/dtype.hpp"
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

std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> networkOf(
    const WireRef& model, std::string_view stage, std::string_view role) {
    return [=] {
        return withErrorsOf(stage, [&] {
            return std::vector<std::shared_ptr<const memory::ComponentTree>>{
                treeIn(modelIn(model), role)};
        });
    };
}

}  // namespace lowtide::models
