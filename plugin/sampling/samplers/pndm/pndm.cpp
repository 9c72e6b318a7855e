#include "plugin/sampling/pndm_sampler.hpp"
#include "plugin/sampling/timestep_spacing.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace lowtide::sampling {

namespace {

constexpr const char* kPndmLabel = "PLMS";

/// The second timestep is visited twice.
std::vector<double> plmsCalls(const PndmSettings& settings, int steps) {
    std::vector<double> calls = fallingTimesteps(settings.common, steps, TimestepKind::Whole);
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
                       std::to_string(carry.scalars.size()) + " numbers instead of 1");
        done_ = static_cast<int64_t>(carry.scalars.front());
        tensor::SamplerCarry predictions = carry;
        if (done_ == 1) {
            requireCarried(!predictions.history.empty(), "no latents of a repeated call");
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

}  // namespace lowtide::sampling
