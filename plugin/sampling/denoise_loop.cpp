#include "plugin/sampling/denoise_loop.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/guidance.hpp"
#include "plugin/tensor/crossing.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

namespace {

/// Steps [first, last) of the schedule.
struct StepRange {
    int first = 0;
    int last = 0;
};

StepRange rangeOf(const DenoiseSettings& settings, int calls) {
    const bool toTheEnd = settings.endStep < 0 || settings.endStep > calls;
    const StepRange range{settings.startStep, toTheEnd ? calls : settings.endStep};
    if (range.first < 0 || range.first >= range.last) {
        throw Error(ErrorKind::InvalidInput,
                    "there is no step from " + std::to_string(range.first) + " to " +
                        std::to_string(range.last) + " in a schedule of " + std::to_string(calls),
                    "choose start_step from 0 to " + std::to_string(calls - 1) +
                        " and end_step above it, or -1",
                    "start_step");
    }
    return range;
}

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
    return sampler.addNoise(latents, drawn, settings.startStep);
}

/// One call of the network with guidance where it is on: the prediction that the sampler steps
/// along.
at::Tensor guidedPrediction(const Sampler& sampler,
                            Denoiser& denoiser,
                            const at::Tensor& latents,
                            int step,
                            const DenoiseSettings& settings,
                            const tensor::Record& record) {
    const bool isGuided = settings.guidanceScale > 1;
    const at::Tensor batch = isGuided ? at::cat({latents, latents}) : latents;
    const at::Tensor input = sampler.scaleInput(batch, step);
    const at::Tensor timestep = sampler.schedule().timesteps.select(0, step);
    record.putNext("model_in", input);
    record.putNext("model_t", timestep);
    const StepInfo info{.step = step, .stepCount = sampler.callCount(), .solverStage = 0};
    const at::Tensor raw = denoiser.predict(input, timestep, info);
    LOWTIDE_ASSERT(raw.sizes() == input.sizes());
    record.putNext("model_out", raw);
    const at::Tensor prediction =
        isGuided ? guide(raw, settings.guidanceScale, settings.guidanceRescale) : raw;
    record.putNext("noise_pred", prediction);
    return prediction;
}

std::shared_ptr<const tensor::SamplerCarry> carryAt(int step,
                                                    const Sampler& sampler,
                                                    const tensor::NoiseGenerator& generator,
                                                    const DenoiseSettings& settings) {
    auto carry = std::make_shared<tensor::SamplerCarry>();
    sampler.save(*carry);
    carry->schedule = settings.scheduleKey;
    carry->step = step;
    carry->generator = generator.state();
    return carry;
}

}  // namespace

DenoiseResult denoise(Sampler& sampler,
                      Denoiser& denoiser,
                      const at::Tensor& latents,
                      const DenoiseSettings& settings,
                      const std::shared_ptr<const tensor::SamplerCarry>& carry,
                      const StopToken& stop,
                      const tensor::Record& record,
                      const std::function<void(int, int)>& progress) {
    const StepRange range = rangeOf(settings, sampler.callCount());
    Noise noise(settings.seed, latents.device(), record);
    if (continues(carry.get(), settings)) {
        restore(*carry, latents.device(), sampler, noise.generator());
    }
    recordSchedule(sampler.schedule(), record);
    at::Tensor current = initialLatents(sampler, latents, settings, noise);
    record.put("latents.init", current);
    const auto draw = [&](at::IntArrayRef shape) { return noise.draw(shape); };
    for (int step = range.first; step < range.last; ++step) {
        stop.throwIfStopped();
        const at::Tensor prediction =
            guidedPrediction(sampler, denoiser, current, step, settings, record);
        current = sampler.step(prediction, step, current, draw);
        record.putNext("latents.step", current);
        progress(step + 1 - range.first, range.last - range.first);
    }
    record.put("latents.final", current);
    return {.latents = current,
            .carry = settings.keepNoise ? carryAt(range.last, sampler, noise.generator(), settings)
                                        : nullptr};
}

}  // namespace lowtide::sampling
