#pragma once

#include "plugin/sampling/denoiser.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

/// The model of make_scheduler_goldens.py: smooth, another function for every row of the batch.
/// Remembers its calls.
class FakeDenoiser final : public Denoiser {
public:
    at::Tensor predict(const at::Tensor& latents,
                       const at::Tensor& timestep,
                       const StepInfo& step) override {
        steps.push_back(step.step);
        stages.push_back(step.solverStage);
        const at::Tensor rows = tensor::upload(
            at::arange(latents.size(0), at::kFloat).view({-1, 1, 1, 1}), latents.device());
        return at::sin(latents * 0.7 + rows * 0.25) + timestep.to(at::kFloat) / 1000;
    }

    std::vector<int> steps;
    std::vector<int> stages;
};

}  // namespace lowtide::sampling
