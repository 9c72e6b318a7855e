#pragma once

#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

namespace lowtide::sampling {

/// What Euler and Euler a share: latents grow with sigma (clean + sigma * noise) and the network
/// sees them divided by sqrt(sigma^2 + 1). Keeps no history.
class SigmaSampler : public Sampler {
public:
    SigmaSampler(const SchedulerConfig& config, const ScheduleOptions& options);

    [[nodiscard]] const Schedule& schedule() const override { return schedule_; }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override;
    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override;

    void save(tensor::SamplerCarry&) const override {}

    void restore(const tensor::SamplerCarry&) override {}

    [[nodiscard]] int historyLength() const override { return 0; }

protected:
    [[nodiscard]] float sigma(int call) const { return sigmas_[static_cast<size_t>(call)]; }

    /// The clean latents that the prediction stands for.
    [[nodiscard]] at::Tensor clean(const at::Tensor& prediction,
                                   const at::Tensor& latents,
                                   float sigma) const;

private:
    Prediction prediction_;
    Schedule schedule_;
    std::vector<float> sigmas_;  ///< the schedule's, with 0 where a shortened run ends
};

/// Where a run that leaves no noise behind ends before its schedule does; nothing for a run that
/// does not.
[[nodiscard]] std::optional<int> shortenedEnd(const ScheduleOptions& options, int calls);
/// The last of the sigmas: 0 or the lowest training sigma.
[[nodiscard]] float finalSigma(const SchedulerConfig& config, const std::vector<float>& training);

}  // namespace lowtide::sampling
