#pragma once

#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

namespace lowtide::sampling {

/// What Euler, LMS and the solvers with two stages share: steps along sigma.
class SigmaSampler : public Sampler {
public:
    SigmaSampler(const SchedulerConfig& config, const ScheduleOptions& options);

    [[nodiscard]] const Schedule& schedule() const override { return schedule_; }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override {
        return process_->scaledInput(latents, sigma(call));
    }

    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override {
        return clean(prediction, latents, sigma(call));
    }

    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override {
        return process_->noised(clean, noise, sigma(call));
    }

protected:
    /// Noise level that a step begins with.
    [[nodiscard]] float sigma(int step) const { return sigmas_[static_cast<size_t>(step)]; }

    /// The clean latents that the prediction stands for.
    [[nodiscard]] virtual at::Tensor clean(const at::Tensor& prediction,
                                           const at::Tensor& latents,
                                           float sigma) const {
        return process_->clean(prediction, latents, sigma);
    }

    [[nodiscard]] const NoiseProcess& process() const { return *process_; }

    /// Replaces the schedule of one call a step.
    void setCalls(at::Tensor timesteps, at::Tensor sigmas);

private:
    std::unique_ptr<const NoiseProcess> process_;
    Schedule schedule_;
    std::vector<float> sigmas_;  ///< the schedule's, with 0 where a shortened run ends
};

/// The last of the sigmas: 0 or the lowest training sigma.
[[nodiscard]] float finalSigma(const SchedulerConfig& config, const std::vector<float>& training);

}  // namespace lowtide::sampling
