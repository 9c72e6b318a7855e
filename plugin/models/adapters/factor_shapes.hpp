#pragma once

#include "plugin/models/adapters/change_kind.hpp"

namespace lowtide::models {

/// A weight's shape as changes see it: the matrix [outputs, inputs x kernel].
struct WeightSides {
    int64_t outputs = 0;
    int64_t inputs = 1;
    Shape kernel;  ///< sides of a convolution's kernel, without trailing ones

    [[nodiscard]] int64_t kernelSize() const;

    [[nodiscard]] int64_t columns() const { return inputs * kernelSize(); }
};

/// Of a weight with two axes or more; Error{Corrupt} says that `kind` changes no others.
[[nodiscard]] WeightSides sidesOf(const Shape& weight, const ChangeKind& kind);

/// The shape of one factor among all of them, for messages.
class FactorShape {
public:
    FactorShape(const Shape& weight, const FactorShapes& factors, std::string_view name);

    [[nodiscard]] const Shape& shape() const { return *shape_; }

    /// The size of an axis; of one that it lacks, 1.
    [[nodiscard]] int64_t size(size_t axis) const;

    /// Error{Corrupt} unless its shape is `expected` but for trailing ones, or, with kernels, its
    /// last axes are one.
    void requireShape(const Shape& expected) const;
    [[noreturn]] void refuse(const std::string& expected) const;

private:
    const Shape* weight_;
    const Shape* shape_;
    std::string name_;
};

/// The shape `head` with the axes of a kernel behind it.
[[nodiscard]] Shape withKernel(Shape head, const Shape& kernel);

/// Columns of the matrices that make up a Tucker core [i, j, kernel] with its sides: checks the
/// core and the side of the inputs [j, inputs], gives i.
[[nodiscard]] int64_t checkCore(const FactorShape& core,
                                const FactorShape& inputSide,
                                int64_t inputs,
                                const Shape& kernel);

}  // namespace lowtide::models
