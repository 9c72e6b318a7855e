#include "plugin/sampling/noise_process.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/noise_schedule.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

/// Ho et al. 2020; times are training timesteps.
class VariancePreserving : public NoiseProcess {
public:
    explicit VariancePreserving(const SchedulerConfig& config)
        : prediction_(config.prediction), noise_(config.noise) {}

    [[nodiscard]] std::vector<float> timesAt(const std::vector<float>& sigmas) const override {
        return timestepsBetween(sigmas, trainingSigmas(alphasCumprod(noise_)));
    }

protected:
    [[nodiscard]] Prediction predicts() const { return prediction_; }

private:
    Prediction prediction_;
    NoiseSchedule noise_;
};

class PreservingForm final : public VariancePreserving {
public:
    using VariancePreserving::VariancePreserving;

    [[nodiscard]] Level level(float sigma) const override {
        const float signal = 1 / root(sigma * sigma + 1);
        return {signal, sigma * signal};
    }

    [[nodiscard]] at::Tensor scaledInput(const at::Tensor& latents, float) const override {
        return latents;
    }

    [[nodiscard]] at::Tensor clean(const at::Tensor& prediction,
                                   const at::Tensor& latents,
                                   float sigma) const override {
        const Level now = level(sigma);
        return cleanOf(predicts(), prediction, latents, now.signal, now.noise);
    }
};

class GrowingForm final : public VariancePreserving {
public:
    using VariancePreserving::VariancePreserving;

    [[nodiscard]] Level level(float sigma) const override { return {1, sigma}; }

    [[nodiscard]] at::Tensor scaledInput(const at::Tensor& latents, float sigma) const override {
        return latents / root(sigma * sigma + 1);
    }

    [[nodiscard]] at::Tensor clean(const at::Tensor& prediction,
                                   const at::Tensor& latents,
                                   float sigma) const override {
        switch (predicts()) {
            case Prediction::Epsilon:
                return latents - prediction * sigma;
            case Prediction::Velocity: {
                const float total = sigma * sigma + 1;
                return prediction * (-sigma / root(total)) + latents / total;
            }
            case Prediction::Sample:
            case Prediction::Flow:
                break;
        }
        return prediction;
    }

    [[nodiscard]] at::Tensor noised(const at::Tensor& clean,
                                    const at::Tensor& noise,
                                    float sigma) const override {
        return clean + noise * sigma;
    }
};

/// Karras et al. 2022 (arXiv 2206.00364), table 1; values: EDMEulerScheduler.
class Edm final : public NoiseProcess {
public:
    Edm(double sigmaData, Prediction prediction)
        : sigmaData_(sigmaData),
          dataVariance_(static_cast<float>(sigmaData * sigmaData)),
          isVelocity_(prediction == Prediction::Velocity) {}

    [[nodiscard]] Level level(float sigma) const override { return {1, sigma}; }

    [[nodiscard]] at::Tensor scaledInput(const at::Tensor& latents, float sigma) const override {
        return latents * (1 / root(sigma * sigma + dataVariance_));
    }

    [[nodiscard]] at::Tensor clean(const at::Tensor& prediction,
                                   const at::Tensor& latents,
                                   float sigma) const override {
        const float total = sigma * sigma + dataVariance_;
        const float kept = dataVariance_ / total;
        const float given =
            (isVelocity_ ? -sigma : sigma) * static_cast<float>(sigmaData_) / root(total);
        return latents * kept + prediction * given;
    }

    [[nodiscard]] at::Tensor noised(const at::Tensor& clean,
                                    const at::Tensor& noise,
                                    float sigma) const override {
        return clean + noise * sigma;
    }

    [[nodiscard]] std::vector<float> timesAt(const std::vector<float>& sigmas) const override {
        std::vector<float> times;
        for (const float sigma : sigmas) {
            times.push_back(0.25F * logarithm(sigma));
        }
        return times;
    }

private:
    double sigmaData_;
    float dataVariance_;
    bool isVelocity_;
};

/// Rectified flow: straight lines from noise to clean latents. Source: Liu et al. 2022
/// (arXiv 2209.03003); values: FlowMatchEulerDiscreteScheduler.
class Flow final : public NoiseProcess {
public:
    explicit Flow(int64_t trainSteps) : trainSteps_(static_cast<float>(trainSteps)) {}

    [[nodiscard]] Level level(float sigma) const override { return {1 - sigma, sigma}; }

    [[nodiscard]] at::Tensor scaledInput(const at::Tensor& latents, float) const override {
        return latents;
    }

    [[nodiscard]] at::Tensor clean(const at::Tensor& prediction,
                                   const at::Tensor& latents,
                                   float sigma) const override {
        return latents - prediction * sigma;
    }

    [[nodiscard]] std::vector<float> timesAt(const std::vector<float>& sigmas) const override {
        std::vector<float> times;
        for (const float sigma : sigmas) {
            times.push_back(sigma * trainSteps_);
        }
        return times;
    }

private:
    float trainSteps_;
};

}  // namespace

Level::Level(float ownSignal, float ownNoise)
    : signal(ownSignal), noise(ownNoise), lambda(logarithm(signal) - logarithm(noise)) {}

at::Tensor NoiseProcess::noised(const at::Tensor& clean,
                                const at::Tensor& noise,
                                float sigma) const {
    const Level now = level(sigma);
    return clean * now.signal + noise * now.noise;
}

std::unique_ptr<NoiseProcess> makeProcess(const SchedulerConfig& config, LatentForm form) {
    if (config.edm) {
        return std::make_unique<Edm>(config.edm->sigmaData, config.prediction);
    }
    if (config.flow) {
        return std::make_unique<Flow>(config.noise.trainSteps);
    }
    if (form == LatentForm::Growing) {
        return std::make_unique<GrowingForm>(config);
    }
    return std::make_unique<PreservingForm>(config);
}

}  // namespace lowtide::sampling
