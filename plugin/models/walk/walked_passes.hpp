#pragma once
// Forwards of networks as a stage asks for them: run, or on its way through a shape walk.

#include "plugin/models/model.hpp"
#include "plugin/models/stage_context.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

namespace lowtide::models {

/// `forward` of a network (as it was opened) over an input of `sizes`; a walk takes the first one
/// of a size.
[[nodiscard]] at::Tensor passOver(StageContext& context,
                                  const memory::ComponentTree& network,
                                  at::IntArrayRef sizes,
                                  const std::function<at::Tensor()>& forward);

/// Model::makeDenoiser(); in a walk every step but the first takes what the first took.
[[nodiscard]] std::unique_ptr<sampling::Denoiser> makeDenoiser(StageContext& context,
                                                               const Model& model,
                                                               const DenoiserRequest& request);

}  // namespace lowtide::models
