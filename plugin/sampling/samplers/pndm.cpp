// PNDM, with Runge-Kutta steps at the beginning or without (PLMS).

#include "plugin/base/error.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/reference_math.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::sampling {

/// Settings of a PNDMScheduler.
struct PndmSettings {
    SchedulerConfig common;
    bool endsClean = false;  ///< set_alpha_to_one; else at the signal of timestep 0
};

[[nodiscard]] PndmSettings readPndm(const Json& config,
                                    const std::string& label,
                                    const ScheduleOptions& options);

/// What PNDM with and without Runge-Kutta steps share: the way between two timesteps and the
/// multistep combination of predictions. Source: Liu et al. 2022 (arXiv 2202.09778); values:
/// PNDMScheduler.
class PndmSampler : public SignalSampler {
public:
    [[nodiscard]] int stepCount() const override { return steps_; }

    [[nodiscard]] int historyLength() const override { return static_cast<int>(kBefore); }

    void save(tensor::SamplerCarry& carry) const override { carry.history = before_.entries(); }

    void restore(const tensor::SamplerCarry& carry) override { before_.restore(carry.history); }

protected:
    static constexpr size_t kBefore = 3;  ///< predictions of calls before that a step reads

    /// `calls`: the timesteps of all network calls of the schedule.
    PndmSampler(const PndmSettings& settings,
                const ScheduleOptions& options,
                const std::vector<double>& calls);

    /// Training timesteps in one step.
    [[nodiscard]] int64_t stride() const { return stride_; }

    /// Call `call` goes to the clean latents, where a shortened run ends.
    void endWith(int call) { lastCall_ = call; }

    /// The latents that call `call` steps to, at timestep `to` (below 0: the end), from those at
    /// `from`; eq. 9.
    [[nodiscard]] at::Tensor moved(const at::Tensor& latents,
                                   const at::Tensor& prediction,
                                   int call,
                                   int64_t from,
                                   int64_t to) const;
    /// The multistep combination of a prediction with those of the steps before; remembers it.
    [[nodiscard]] at::Tensor combined(const at::Tensor& prediction);

    /// A multistep step from the timestep of `call` to the one a stride below.
    [[nodiscard]] at::Tensor multistep(const at::Tensor& prediction,
                                       int call,
                                       const at::Tensor& latents);

    History before_{kBefore};  ///< predictions of the steps before

private:
    int steps_;
    int64_t stride_;
    float finalAlpha_;
    int lastCall_ = -1;
};

PndmSettings readPndm(const Json& config,
                      const std::string& label,
                      const ScheduleOptions& options) {
    const SchedulerClass kind = {
        .label = label, .spacing = Spacing::Leading, .predictsSample = false};
    return {.common = readSchedulerConfig(config, kind, options),
            .endsClean = schedulerReader(config).boolean("set_alpha_to_one").value_or(false)};
}

PndmSampler::PndmSampler(const PndmSettings& settings,
                         const ScheduleOptions& options,
                         const std::vector<double>& calls)
    : SignalSampler(settings.common, calls),
      steps_(options.steps),
      stride_(settings.common.noise.trainSteps / options.steps),
      finalAlpha_(settings.endsClean ? 1.0F : alphaCumprod(0)) {}

at::Tensor PndmSampler::moved(const at::Tensor& latents,
                              const at::Tensor& prediction,
                              int call,
                              int64_t from,
                              int64_t to) const {
    const float now = alphaCumprod(from);
    const float after = to >= 0 ? alphaCumprod(to) : finalAlpha_;
    const float next = call == lastCall_ ? 1.0F : after;
    const at::Tensor noise = predicts() == Prediction::Velocity
                                 ? prediction * root(now) + latents * root(1 - now)
                                 : prediction;
    const float divisor = now * root(1 - next) + root(now * (1 - now) * next);
    return latents * root(next / now) - noise * (next - now) / divisor;
}

at::Tensor PndmSampler::combined(const at::Tensor& prediction) {
    const at::Tensor sum = [&]() -> at::Tensor {
        switch (before_.size()) {
            case 0:
                return prediction;
            case 1:
                return (prediction * 3 - before_.ago(1)) / 2;
            case 2:
                return (prediction * 23 - before_.ago(1) * 16 + before_.ago(2) * 5) / 12;
            default:
                return (prediction * 55 - before_.ago(1) * 59 + before_.ago(2) * 37 -
                        before_.ago(3) * 9) *
                       (1.0 / 24);
        }
    }();
    before_.push(prediction);
    return sum;
}

at::Tensor PndmSampler::multistep(const at::Tensor& prediction,
                                  int call,
                                  const at::Tensor& latents) {
    const int64_t from = timestep(call);
    return moved(latents, combined(prediction), call, from, from - stride_);
}

namespace {

constexpr const char* kPndmLabel = "PLMS";

/// The second timestep is visited twice.
std::vector<double> plmsCalls(const PndmSettings& settings, int steps) {
    std::vector<double> calls = fallingTimesteps(settings.common, steps, TimestepKind::Integer);
    if (calls.size() > 1) {
        calls.insert(calls.begin() + 1, calls[1]);
    }
    return calls;
}

/// PNDM without Runge-Kutta steps: the first step of a pass is Euler's, done again with the mean
/// of the predictions at both its ends; the others are multistep. A pass that starts in the middle
/// does so too, although no timestep is repeated there, as the reference does.
class Pndm final : public PndmSampler {
public:
    Pndm(const PndmSettings& settings, const ScheduleOptions& options)
        : PndmSampler(settings, options, plmsCalls(settings, options.steps)) {
        if (const auto end = shortenedEnd(options, options.steps)) {
            endWith(*end - 1);
        }
    }

    int firstCall(int step) const override { return step < stepCount() ? step : callCount(); }

    int solverStage(int call) const override { return call == 1 ? 1 : 0; }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        const int64_t done = done_++;
        if (done == 1) {
            const at::Tensor begin = std::exchange(begin_, at::Tensor());
            const at::Tensor mean = (prediction + before_.ago(1)) / 2;
            const int64_t to = timestep(call);
            return moved(begin, mean, call, to + stride(), to);
        }
        if (done == 0) {
            begin_ = latents;
        }
        return multistep(prediction, call, latents);
    }

    void save(tensor::SamplerCarry& carry) const override {
        PndmSampler::save(carry);
        carry.scalars = {static_cast<double>(done_)};
        if (begin_.defined()) {
            carry.history.push_back(begin_);
        }
    }

    void restore(const tensor::SamplerCarry& carry) override {
        requireCarried(carry.scalars.size() == 1,
                       message("{} numbers instead of 1", carry.scalars.size()));
        done_ = static_cast<int64_t>(carry.scalars.front());
        tensor::SamplerCarry predictions = carry;
        if (done_ == 1) {
            requireCarried(!predictions.history.empty(), message("no latents of a repeated call"));
            begin_ = predictions.history.back();
            predictions.history.pop_back();
        }
        PndmSampler::restore(predictions);
    }

private:
    int64_t done_ = 0;  ///< calls of this pass and those it continues
    at::Tensor begin_;  ///< latents of the first call, until the second
};

std::unique_ptr<Sampler> makePndm(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Pndm>(readPndm(config, kPndmLabel, options), options);
}

}  // namespace

SamplerType pndm() {
    return {.name = "pndm",
            .label = kPndmLabel,
            .schedulerClass = "PNDMScheduler",
            .settings = {{"skip_prk_steps", true}},
            .make = makePndm};
}

namespace {

constexpr const char* kPndmRungeKuttaLabel = "PNDM";
constexpr int kRungeKuttaSteps = 3;
constexpr int kStages = 4;
constexpr int kRungeKuttaCalls = kRungeKuttaSteps * kStages;
constexpr double kWeights[kStages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

std::vector<double> rungeKuttaCalls(const PndmSettings& settings, int steps) {
    if (steps <= kRungeKuttaSteps) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} cannot run {} steps: its first three are Runge-Kutta steps, one "
                            "more must follow",
                            kPndmRungeKuttaLabel,
                            steps),
                    message("choose at least 4 steps, or the sampler pndm"),
                    "steps");
    }
    const auto falling = fallingTimesteps(settings.common, steps, TimestepKind::Integer);
    const auto half = static_cast<double>(settings.common.noise.trainSteps / steps / 2);
    std::vector<double> calls;
    for (size_t step = 0; step < kRungeKuttaSteps; ++step) {
        const double next = falling[step + 1];
        calls.insert(calls.end(), {falling[step], next + half, next + half, next});
    }
    calls.insert(calls.end(), falling.begin() + kRungeKuttaSteps, falling.end());
    return calls;
}

/// PNDM as its paper has it: three Runge-Kutta steps of four calls, then multistep.
class PndmRungeKutta final : public PndmSampler {
public:
    PndmRungeKutta(const PndmSettings& settings, const ScheduleOptions& options)
        : PndmSampler(settings, options, rungeKuttaCalls(settings, options.steps)) {
        if (const auto end = shortenedEnd(options, options.steps)) {
            endWith(PndmRungeKutta::firstCall(*end) - 1);
        }
    }

    int firstCall(int step) const override {
        const int rungeKutta = std::min(step, kRungeKuttaSteps);
        return std::min(kStages * rungeKutta + (step - rungeKutta), callCount());
    }

    int beginOf(int call) const override {
        if (call > 0) {
            refuseTheMiddle("start_at");
        }
        return call;
    }

    int solverStage(int call) const override {
        return call < kRungeKuttaCalls ? call % kStages : 0;
    }

    /// Errors: Error{InvalidInput} blames "start_step" when the steps before were not run.
    at::Tensor scaleInput(const at::Tensor& latents, int call) const override {
        const auto needed = static_cast<size_t>(std::min(call / kStages, kRungeKuttaSteps));
        if (before_.size() < needed && !latents.is_meta()) {  // a dry run has no carry
            refuseTheMiddle("start_step");
        }
        return latents;
    }

    /// Later noise is asked for where a mask keeps an image.
    at::Tensor addNoise(const at::Tensor& clean, const at::Tensor& noise, int call) const override {
        if (call > 0 && !begin_.defined()) {
            refuseTheMiddle("start_step");
        }
        return PndmSampler::addNoise(clean, noise, call);
    }

    at::Tensor step(const at::Tensor& prediction,
                    int call,
                    const at::Tensor& latents,
                    const std::function<at::Tensor(at::IntArrayRef)>&) override {
        if (call >= kRungeKuttaCalls) {
            return multistep(prediction, call, latents);
        }
        const int stage = solverStage(call);
        const at::Tensor weighted = prediction * kWeights[stage];
        if (stage == 0) {
            before_.push(prediction);
            begin_ = latents;
            sum_ = weighted;
        } else {
            sum_ = sum_ + weighted;
        }
        const int64_t half = stage % 2 == 0 ? stride() / 2 : 0;
        const at::Tensor& slope = stage == kStages - 1 ? sum_ : prediction;
        const int64_t from = timestep(call - stage);
        return moved(begin_, slope, call, from, timestep(call) - half);
    }

private:
    [[noreturn]] static void refuseTheMiddle(const char* param) {
        throw Error(
            ErrorKind::InvalidInput,
            message("{} cannot start in the middle: its Runge-Kutta steps are the first ones",
                    kPndmRungeKuttaLabel),
            message("start at step 0, go on with a pass that kept its noise, or choose the sampler "
                    "pndm"),
            param);
    }

    at::Tensor begin_;  ///< latents that a Runge-Kutta step began with
    at::Tensor sum_;    ///< of its weighted predictions
};

std::unique_ptr<Sampler> makePndmRungeKutta(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<PndmRungeKutta>(readPndm(config, kPndmRungeKuttaLabel, options),
                                            options);
}

}  // namespace

SamplerType pndm_prk() {
    return {.name = "pndm_prk",
            .label = kPndmRungeKuttaLabel,
            .schedulerClass = "PNDMScheduler",
            .make = makePndmRungeKutta};
}

}  // namespace lowtide::sampling
