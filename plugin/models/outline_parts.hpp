#pragma once
// What outlines of stages are made of.

#include "plugin/models/model.hpp"
#include "plugin/models/stages.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::models {

/// Of a tensor in f32.
[[nodiscard]] Bytes bytesOf(const Shape& shape);

/// One tensor that nothing more is known of.
[[nodiscard]] StageOutline outputOf(const char* type, const Shape& shape);

/// StageOutline::components of a stage that runs these of `loaded`.
[[nodiscard]] std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> networksOf(
    const WireRef& loaded,
    std::string_view stage,
    const std::vector<memory::ComponentPrecision>& precisions);

}  // namespace lowtide::models
