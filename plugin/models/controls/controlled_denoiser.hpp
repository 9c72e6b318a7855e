#pragma once

#include "plugin/models/controls/control_pass.hpp"
#include "plugin/sampling/denoiser.hpp"

#include <memory>
#include <utility>

namespace lowtide::models {

/// A denoiser that ControlNets accompany: it tells the loop where other ones begin to run.
class ControlledDenoiser final : public sampling::Denoiser {
public:
    /// `control`: whose residuals `denoiser` asks for; must outlive it.
    ControlledDenoiser(std::unique_ptr<sampling::Denoiser> denoiser, const ControlPass& control)
        : denoiser_(std::move(denoiser)), control_(control) {}

    [[nodiscard]] at::Tensor predict(const at::Tensor& latents,
                                     const at::Tensor& timestep,
                                     const sampling::StepInfo& step) override {
        return denoiser_->predict(latents, timestep, step);
    }

    [[nodiscard]] uint64_t promptsAt(const at::Tensor& timestep,
                                     const sampling::StepInfo& step) const override {
        return control_.runningIn(step.taken, denoiser_->promptsAt(timestep, step));
    }

private:
    std::unique_ptr<sampling::Denoiser> denoiser_;
    const ControlPass& control_;
};

}  // namespace lowtide::models
