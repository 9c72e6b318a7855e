#include "plugin/models/precision/finite_denoiser.hpp"

#include "plugin/nn/result_checks.hpp"
#include "plugin/nn/stage_context.hpp"
#include "plugin/sampling/sampler.hpp"

#include <bit>
#include <utility>

namespace lowtide::models {

FiniteDenoiser::FiniteDenoiser(std::unique_ptr<sampling::Denoiser> denoiser,
                               ResultChecks& checks,
                               std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
                               const std::optional<sampling::SecondExpert>& second)
    : denoiser_(std::move(denoiser)), checks_(checks), trees_(std::move(trees)), second_(second) {}

at::Tensor FiniteDenoiser::predict(const at::Tensor& latents,
                                   const at::Tensor& timestep,
                                   const sampling::StepInfo& step) {
    at::Tensor prediction = denoiser_->predict(latents, timestep, step);
    const bool isOfSecond = second_ && second_->takes(sampling::timestepIn(timestep));
    checks_.note(isOfSecond ? *trees_.back() : *trees_.front(),
                 prediction,
                 {.step = step.step, .steps = step.stepCount});
    if (std::has_single_bit(static_cast<unsigned>(step.taken) + 1)) {
        checks_.look({});
    }
    return prediction;
}

uint64_t FiniteDenoiser::promptsAt(const at::Tensor& timestep,
                                   const sampling::StepInfo& step) const {
    return denoiser_->promptsAt(timestep, step);
}

std::unique_ptr<sampling::Denoiser> noted(
    StageContext& context,
    std::unique_ptr<sampling::Denoiser> denoiser,
    std::vector<std::shared_ptr<const memory::ComponentTree>> trees,
    const std::optional<sampling::SecondExpert>& second) {
    if (!context.finite) {
        return denoiser;
    }
    return std::make_unique<FiniteDenoiser>(
        std::move(denoiser), *context.finite, std::move(trees), second);
}

}  // namespace lowtide::models
