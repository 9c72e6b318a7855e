#pragma once

#include "plugin/sampling/step_info.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace lowtide::models {

/// Predictions of prompts that are calls of their own, the positive one first. `latents` are of
/// `batch` pictures, or with guidance [uncond, cond] of twice as many; predict(latents, step, side)
/// makes one side's, 0 the positive one, with a place of its own in step caches.
template <class Predict>
at::Tensor predictInTurn(const at::Tensor& latents,
                         int64_t batch,
                         const sampling::StepInfo& step,
                         const Predict& predict) {
    const auto ofSide = [&](const at::Tensor& own, uint32_t side) {
        sampling::StepInfo decided = step;
        decided.slot.branch = 2 * step.slot.branch + side;
        return predict(own, decided, side);
    };
    if (latents.size(0) == batch) {
        return ofSide(latents, 0);
    }
    const std::vector<at::Tensor> halves = latents.chunk(2);
    const at::Tensor positive = ofSide(halves[1].contiguous(), 0);
    return at::cat({ofSide(halves[0].contiguous(), 1), positive});
}

}  // namespace lowtide::models
