#pragma once
// Forwards of networks as a stage asks for them: run, or on its way through a shape walk.

#include "plugin/nn/stage_context.hpp"
#include "plugin/nn/walk/shape_walk.hpp"
#include "plugin/sampling/step_info.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lowtide::models {

/// `forward` of a network (as it was opened) over an input of `sizes`; a walk takes the first one
/// of a size. The stage's FiniteChecks note the result.
[[nodiscard]] at::Tensor passOver(StageContext& context,
                                  const memory::ComponentTree& network,
                                  at::IntArrayRef sizes,
                                  const std::function<at::Tensor()>& forward);
/// The same with several results, contiguous f32; `tree` as the stage has it, `passed` as the pass
/// begins, `walk` null: it runs.
[[nodiscard]] std::vector<at::Tensor> passOver(
    ShapeWalk* walk,
    const memory::ComponentTree& tree,
    at::IntArrayRef sizes,
    const PassedOver& passed,
    const std::function<std::vector<at::Tensor>()>& forward);

/// Does `work`, which makes tensors on the device of the component.
void onDeviceOf(ShapeWalk* walk,
                const memory::ComponentTree& tree,
                const std::function<void()>& work);

/// `forward` of a denoiser in one step over an input of `sizes`, latents and whatever else its pass
/// depends on; in a walk every step but the first of its kind takes what the first took. `tree` and
/// `walk` as above; `forward` gets the step that it does.
[[nodiscard]] at::Tensor stepOver(
    ShapeWalk* walk,
    const memory::ComponentTree& tree,
    const at::Tensor& latents,
    at::IntArrayRef sizes,
    const sampling::StepInfo& step,
    const std::function<at::Tensor(const sampling::StepInfo&)>& forward);

}  // namespace lowtide::models
