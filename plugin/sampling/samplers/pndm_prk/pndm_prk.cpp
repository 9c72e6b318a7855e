#include "plugin/base/error.hpp"
#include "plugin/sampling/pndm_sampler.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

constexpr const char* kPndmRungeKuttaLabel = "PNDM";
constexpr int kRungeKuttaSteps = 3;
constexpr int kStages = 4;
constexpr int kRungeKuttaCalls = kRungeKuttaSteps * kStages;
constexpr double kWeights[kStages] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

std::vector<double> rungeKuttaCalls(const PndmSettings& settings, int steps) {
    if (steps <= kRungeKuttaSteps) {
        throw Error(ErrorKind::InvalidInput,
                    std::string(kPndmRungeKuttaLabel) + " cannot run " + std::to_string(steps) +
                        " steps: its first three are Runge-Kutta steps, one more must follow",
                    "choose at least 4 steps, or the sampler pndm",
                    "steps");
    }
    const auto falling = fallingTimesteps(settings.common, steps, TimestepKind::Whole);
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
        if (before_.size() < needed && !latents.is_meta()) {  // a walk over shapes has no carry
            refuseTheMiddle("start_step");
        }
        return latents;
    }

    /// Later noise is asked for where a mask keeps a picture.
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
        throw Error(ErrorKind::InvalidInput,
                    std::string(kPndmRungeKuttaLabel) +
                        " cannot start in the middle: its Runge-Kutta steps are "
                        "the first ones",
                    "start at step 0, go on with a pass that kept its noise, or choose the sampler "
                    "pndm",
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
