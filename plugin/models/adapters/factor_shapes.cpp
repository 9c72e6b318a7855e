#include "plugin/models/adapters/factor_shapes.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace lowtide::models {

namespace {

Shape withoutTrailingOnes(Shape shape, size_t fewest) {
    while (shape.size() > fewest && shape.back() == 1) {
        shape.pop_back();
    }
    return shape;
}

int64_t product(const Shape& shape, size_t from) {
    return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(from),
                           shape.end(),
                           int64_t{1},
                           std::multiplies<>());
}

/// The shape as a matrix: all axes but the first are one.
Shape asMatrix(const Shape& shape) {
    return shape.empty() ? shape : Shape{shape.front(), product(shape, 1)};
}

}  // namespace

int64_t WeightSides::kernelSize() const {
    return product(kernel, 0);
}

WeightSides sidesOf(const Shape& weight, const ChangeKind& kind) {
    if (weight.size() < 2) {
        throw Error(ErrorKind::Corrupt,
                    "a change of kind \"" + kind.name +
                        "\" needs a weight with two axes or more, "
                        "this one has the shape " +
                        toText(weight),
                    "choose an adapter that was made for this model");
    }
    WeightSides sides{.outputs = weight[0], .inputs = weight[1]};
    const Shape trimmed = withoutTrailingOnes(weight, 2);
    sides.kernel.assign(trimmed.begin() + 2, trimmed.end());
    return sides;
}

FactorShape::FactorShape(const Shape& weight, const FactorShapes& factors, std::string_view name)
    : weight_(&weight), shape_(&factors.find(name)->second), name_(name) {}

int64_t FactorShape::size(size_t axis) const {
    return axis < shape_->size() ? (*shape_)[axis] : 1;
}

void FactorShape::requireShape(const Shape& expected) const {
    const bool isSame = withoutTrailingOnes(*shape_, 0) == withoutTrailingOnes(expected, 0);
    const bool isMatrix = shape_->size() == 2 && *shape_ == asMatrix(expected);
    if (!isSame && !isMatrix) {
        refuse(toText(expected));
    }
}

void FactorShape::refuse(const std::string& expected) const {
    throw Error(ErrorKind::Corrupt,
                "the factor \"" + name_ + "\" has the shape " + toText(*shape_) +
                    ", a weight of the shape " + toText(*weight_) + " needs " + expected,
                "choose an adapter that was made for this model",
                name_);
}

Shape withKernel(Shape head, const Shape& kernel) {
    head.insert(head.end(), kernel.begin(), kernel.end());
    return head;
}

int64_t checkCore(const FactorShape& core,
                  const FactorShape& inputSide,
                  int64_t inputs,
                  const Shape& kernel) {
    inputSide.requireShape({inputSide.size(0), inputs});
    core.requireShape(withKernel({core.size(0), inputSide.size(0)}, kernel));
    return core.size(0);
}

}  // namespace lowtide::models
