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

/// StageOutline::components of a stage that runs one network of `model`.
[[nodiscard]] std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> networkOf(
    const WireRef& model, std::string_view stage, std::string_view role);

/// The same of several.
[[nodiscard]] std::function<std::vector<std::shared_ptr<const memory::ComponentTree>>()> networksOf(
    const WireRef& model, std::string_view stage, const std::vector<std::string>& roles);

/// The trees of roles that the model has.
[[nodiscard]] std::vector<std::shared_ptr<const memory::ComponentTree>> treesIn(
    const Model& model, const std::vector<std::string>& roles);

}  // namespace lowtide::models
