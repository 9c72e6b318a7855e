#include "plugin/sampling/denoise_loop.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/guidance.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace lowtide::sampling {

namespace {

void recordSchedule(const Schedule& schedule, const tensor::Record& record) {
    record.put("timesteps", schedule.timesteps);
    record.put("sigmas", schedule.sigmas);
    record.put("init_noise_sigma", at::scalar_tensor(schedule.initNoiseSigma, at::kFloat));
}

/// The generator of one run; every draw is recorded and brought to the latents' device.
class Noise {
public:
    Noise(uint64_t seed, c10::Device device, const tensor::Record& record)
        : generator_(seed), device_(device), record_(record) {}

    at::Tensor draw(at::IntArrayRef shape) {
        if (device_.is_meta()) {  // a walk over shapes needs no numbers
            return at::empty(shape, at::TensorOptions(at::kFloat).device(device_));
        }
        const at::Tensor noise = generator_.draw(shape);
        record_.putNext("random", noise);
        return tensor::upload(noise, device_);
    }

    [[nodiscard]] tensor::NoiseGenerator& generator() { return generator_; }

private:
    tensor::NoiseGenerator generator_;
    c10::Device device_;
    const tensor::Record& record_;
};

bool continues(const tensor::SamplerCarry* carry, const DenoiseSettings& settings) {
    return carry && !settings.addNoise && carry->schedule == settings.scheduleKey &&
           carry->step == settings.startStep;
}

void restore(const tensor::SamplerCarry& carry,
             c10::Device device,
             Sampler& sampler,
             tensor::NoiseGenerator& generator) {
    tensor::SamplerCarry here = carry;
    for (at::Tensor& entry : here.history) {
        entry = tensor::upload(entry, device);
    }
    sampler.restore(here);
    generator.setState(carry.generator);
}

at::Tensor initialLatents(const Sampler& sampler,
                          const at::Tensor& latents,
                          const DenoiseSettings& settings,
                          Noise& noise) {
    if (!settings.addNoise) {
        return latents;
    }
    const at::Tensor drawn = noise.draw(latents.sizes());
    if (settings.startsEmpty && settings.startStep == 0) {
        return drawn * sampler.schedule().initNoiseSigma;
    }
    return sampler.addNoise(latents, drawn, sampler.firstCall(settings.startStep));
}

/// One call of the network with guidance where it is on: the prediction that the sampler steps
/// along.
at::Tensor guidedPrediction(const Sampler& sampler,
                            Denoiser& denoiser,
                            const at::Tensor& latents,
                            int call,
                            const DenoiseSettings& settings,
                            const tensor::Record& record) {
    const bool isGuided = settings.guidanceScale > 1;
    const at::Tensor batch = isGuided ? at::cat({latents, latents}) : latents;
    const at::Tensor input = sampler.scaleInput(batch, call);
    const at::Tensor timestep = sampler.schedule().timesteps.select(0, call);
    record.putNext("model_in", input);
    record.putNext("model_t", timestep);
    const StepInfo info{
        .step = call, .stepCount = sampler.callCount(), .solverStage = sampler.solverStage(call)};
    const at::Tensor raw = denoiser.predict(input, timestep, info);
    LOWTIDE_ASSERT(raw.sizes() == input.sizes());
    record.putNext("model_out", raw);
    const at::Tensor prediction =
        isGuided ? guide(raw, settings.guidanceScale, settings.guidanceRescale) : raw;
    record.putNext("noise_pred", prediction);
    return prediction;
}

std::shared_ptr<const tensor::SamplerCarry> carryOf(const Sampler& sampler,
                                                    const tensor::NoiseGenerator& generator,
                                                    const DenoiseSettings& settings) {
    const int steps = sampler.stepCount();
    auto carry = std::make_shared<tensor::SamplerCarry>();
    sampler.save(*carry);
    carry->schedule = settings.scheduleKey;
    carry->step = settings.endStep < 0 ? steps : std::min(settings.endStep, steps);
    carry->generator = generator.state();
    return carry;
}

}  // namespace

CallRange callsOf(const Sampler& sampler, int startStep, int endStep, bool keepNoise) {
    const int steps = sampler.stepCount();
    const bool toTheEnd = endStep < 0 || endStep >= steps;
    const int early = keepNoise ? sampler.firstCall(endStep) : sampler.cleanEnd(endStep);
    const CallRange calls{.first = startStep < 0 ? -1 : sampler.firstCall(startStep),
                          .last = toTheEnd ? sampler.callCount() : early};
    if (calls.first < 0 || calls.first >= calls.last) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no step from " + std::to_string(startStep) + " to " +
                        std::to_string(toTheEnd ? steps : endStep) + " in a schedule of " +
                        std::to_string(steps),
                    "choose start_step from 0 to " + std::to_string(steps - 1) +
                        " and end_step above it, or -1",
                    "start_step");
    }
    return calls;
}

DenoiseResult denoise(Sampler& sampler,
                      Denoiser& denoiser,
                      const at::Tensor& latents,
                      const DenoiseSettings& settings,
                      const std::shared_ptr<const tensor::SamplerCarry>& carry,
                      const StopToken& stop,
                      const tensor::Record& record,
                      const std::function<void(int, int)>& progress) {
    const CallRange calls =
        callsOf(sampler, settings.startStep, settings.endStep, settings.keepNoise);
    Noise noise(settings.seed, latents.device(), record);
    if (continues(carry.get(), settings)) {
        restore(*carry, latents.device(), sampler, noise.generator());
    }
    recordSchedule(sampler.schedule(), record);
    at::Tensor current = initialLatents(sampler, latents, settings, noise);
    record.put("latents.init", current);
    const auto draw = [&](at::IntArrayRef shape) { return noise.draw(shape); };
    for (int call = calls.first; call < calls.last; ++call) {
        stop.throwIfStopped();
        const at::Tensor prediction =
            guidedPrediction(sampler, denoiser, current, call, settings, record);
        current = sampler.step(prediction, call, current, draw);
        record.putNext("latents.step", current);
        progress(call + 1 - calls.first, calls.last - calls.first);
    }
    record.put("latents.final", current);
    return {.latents = current,
            .carry = settings.keepNoise ? carryOf(sampler, noise.generator(), settings) : nullptr};
}

}  // namespace lowtide::sampling
