#pragma once
// What samplers share, by the numbers along which they step: sigma, training timesteps, or the
// logarithm of signal to noise.

#include "plugin/base/json.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/noise_process.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/scheduler_config.hpp"

#include <limits>

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

/// What DDIM, PNDM, DDPM, LCM and TCD share: latents keep their variance (signal + noise), and
/// training timesteps state how much of each there is.
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

    /// At a timestep of pure noise the clean latents cannot be distinguished from the noise that a
    /// network predicts: the reference divides by 0. Throws Error{Unsupported} for a schedule with
    /// one.
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

/// What differs between the classes' schedules.
struct SolverGrid {
    double lambdaMinClipped = -std::numeric_limits<double>::infinity();
    /// Where there is noise left at the end, a spread of sigmas ends with its last one twice; else
    /// with the lowest of the training.
    bool repeatsLastSigma = false;
    FlowTimesteps flow = FlowTimesteps::DpmSolver;
};

/// What the DPM, DEIS and UniPC solvers share: steps in the logarithm of the signal-to-noise ratio.
class LogSnrSolver : public Sampler {
public:
    [[nodiscard]] const Schedule& schedule() const override { return schedule_; }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override {
        return process_->scaledInput(latents, sigma(call));
    }

    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override {
        return process_->clean(prediction, latents, sigma(call));
    }

    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override {
        return process_->noised(clean, noise, sigma(call));
    }

protected:
    LogSnrSolver(const SchedulerConfig& config,
                 const SolverGrid& grid,
                 const ScheduleOptions& options);

    [[nodiscard]] Level level(int call) const { return process_->level(sigma(call)); }

    /// The call leaves no noise: of full order it would divide by an infinite distance.
    [[nodiscard]] bool goesToZero(int call) const { return sigma(call + 1) == 0; }

private:
    [[nodiscard]] float sigma(int call) const { return sigmas_[static_cast<size_t>(call)]; }

    std::unique_ptr<const NoiseProcess> process_;
    Schedule schedule_;
    std::vector<float> sigmas_;  ///< the schedule's, with 0 where a shortened run ends
};

/// Order of a multistep solver at call `call` of `calls`, with `before` predictions of calls
/// before: few steps are steadier when the last two of them are of lower order.
[[nodiscard]] int64_t multistepOrder(
    int64_t order, size_t before, int call, int calls, bool lowerOrderFinal);

/// Refuses the settings that all of these classes have and that are not built, and reads
/// solver_order, 1 to 3.
[[nodiscard]] int64_t readSolverOrder(const JsonReader& reader);
/// The value of solver_type or algorithm_type: one of `own`, or the first of them for a value of
/// `others`, which mean another class of solvers. Error{Unsupported} for any other.
[[nodiscard]] std::string readKind(const JsonReader& reader,
                                   const char* key,
                                   const std::vector<std::string>& own,
                                   const std::vector<std::string>& others);

}  // namespace lowtide::sampling
