#pragma once

#include "plugin/sampling/scheduler_config.hpp"

namespace lowtide::sampling {

/// What DDIM, PNDM, DDPM, LCM and TCD share: latents keep their variance (signal + noise), and
/// training timesteps say how much of each there is.
class SignalSampler : public Sampler {
public:
    [[nodiscard]] const Schedule& schedule() const override { return schedule_; }

    [[nodiscard]] double noiseRatio(int call) const override;

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int /*call*/) const override {
        return latents;
    }

    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override;

    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override;

protected:
    /// `timesteps`: one per call. Errors: Error{InvalidInput} blames "steps" when one lies outside
    /// the training.
    SignalSampler(const SchedulerConfig& config, const std::vector<double>& timesteps);

    [[nodiscard]] Prediction predicts() const { return prediction_; }

    [[nodiscard]] int64_t timestep(int call) const { return timesteps_[static_cast<size_t>(call)]; }

    /// alphas_cumprod at a training timestep: the square of the signal there.
    [[nodiscard]] float alphaCumprod(int64_t timestep) const {
        return alphasCumprod_[static_cast<size_t>(timestep)];
    }

    /// At a timestep of pure noise the clean latents cannot be told from the noise that a network
    /// predicts: the reference divides by 0. Throws Error{Unsupported} for a schedule with one.
    void refusePureNoise(const std::string& label) const;

private:
    Prediction prediction_;
    Schedule schedule_;
    std::vector<int64_t> timesteps_;
    std::vector<float> alphasCumprod_;
};

/// The clean latents and the noise that a prediction stands for.
struct Parts {
    at::Tensor clean;
    at::Tensor noise;
};

/// The clean ones alone.
[[nodiscard]] at::Tensor cleanOf(Prediction kind,
                                 const at::Tensor& prediction,
                                 const at::Tensor& latents,
                                 float signal,
                                 float noise);

/// `signal` and `noise`: the factors that they have in the latents.
[[nodiscard]] Parts partsOf(Prediction kind,
                            const at::Tensor& prediction,
                            const at::Tensor& latents,
                            float signal,
                            float noise);

}  // namespace lowtide::sampling
