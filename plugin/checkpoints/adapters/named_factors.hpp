#pragma once

#include "plugin/residency/change_math.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace lowtide::models {

/// A change's factors by their names.
class NamedFactors {
public:
    explicit NamedFactors(const residency::FactoredChange& change) : change_(&change) {}

    /// Nothing where the change has no such factor.
    [[nodiscard]] const at::Tensor* find(std::string_view name) const;
    /// One that is there: missingFactors() has looked.
    [[nodiscard]] const at::Tensor& get(std::string_view name) const;

private:
    const residency::FactoredChange* change_;
};

/// A copy in f32, row-major, at the begin of a line of the cache: products have bits of its values
/// alone.
[[nodiscard]] at::Tensor inF32(const at::Tensor& values);

}  // namespace lowtide::models
