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
    return networksOf(model, stage, {std::string(role)});
}

std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> networksOf(
    const WireRef& model, std::string_view stage, const std::vector<std::string>& roles) {
    return [=] { return withErrorsOf(stage, [&] { return treesIn(modelIn(model), roles); }); };
}

std::vector<std::shared_ptr<const memory::ComponentTree>> treesIn(
    const Model& model, const std::vector<std::string>& roles) {
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees;
    for (const std::string& role : roles) {
        trees.push_back(treeIn(model, role));
    }
    return trees;
}

}  // namespace lowtide::models
