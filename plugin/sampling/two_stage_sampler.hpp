#pragma once

#include "plugin/sampling/sigma_sampler.hpp"

namespace lowtide::sampling {

/// What Heun and KDPM2 share: a step calls the network at its own noise level and once more at a
/// second one, and then goes from where it began along the second slope (Heun: along the mean). A
/// step to noise 0 is done after the first call, so n steps take 2n - 1. Between two steps there is
/// no history; a pass never ends inside one.
class TwoStageSampler : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    [[nodiscard]] int stepCount() const override { return (callCount() + 1) / 2; }

    [[nodiscard]] int firstCall(int step) const override { return std::min(2 * step, callCount()); }

    [[nodiscard]] int cleanEnd(int step) const override { return 2 * step - 1; }

    [[nodiscard]] int beginOf(int call) const override { return call - solverStage(call); }

    [[nodiscard]] int solverStage(int call) const override { return call % 2; }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override;

    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override {
        return clean(prediction, latents, inputSigma(call));
    }

    [[nodiscard]] at::Tensor step(const at::Tensor& prediction,
                                  int call,
                                  const at::Tensor& latents,
                                  const std::function<at::Tensor(at::IntArrayRef)>& noise) override;
    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override;

protected:
    /// Noise levels of every step beside the one it begins with.
    struct Levels {
        std::vector<float> middle;  ///< of the second call
        std::vector<float> target;  ///< that the step goes to
        std::vector<float> fresh;   ///< noise added after it; empty: none
    };

    /// `middleTimesteps` [steps - 1] f32: where the second calls lie; `ends`: how often the last
    /// sigma stands in the schedule.
    void setLevels(Levels levels, const at::Tensor& middleTimesteps, int64_t ends);

    /// The noise level that every step goes to.
    [[nodiscard]] std::vector<float> nextSigmas() const;

    /// The slope that the whole step takes.
    [[nodiscard]] virtual at::Tensor slopeOf(const at::Tensor& first,
                                             const at::Tensor& second) const;

private:
    [[nodiscard]] float inputSigma(int call) const;
    [[nodiscard]] at::Tensor finish(const at::Tensor& slope,
                                    int step,
                                    const std::function<at::Tensor(at::IntArrayRef)>& noise) const;

    Levels levels_;
    at::Tensor begin_;       ///< latents that the step began with
    at::Tensor firstSlope_;  ///< at them
};

}  // namespace lowtide::sampling
