#include "plugin/sampling/denoise_loop.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace lowtide::sampling {

namespace {

void recordSchedule(const Schedule& schedule, const tensor::Record& record) {
    record.put("timesteps", schedule.timesteps);
    record.put("sigmas", schedule.sigmas);
    record.put("init_noise_sigma", at::scalar_tensor(schedule.initNoiseSigma, at::kFloat));
}

/// The generators of one run: one, or one for each image of the batch. Every draw is recorded
/// and brought to the latents' device.
class Noise {
public:
    Noise(const DenoiseSettings& settings, const at::Tensor& latents, const tensor::Record& record)
        : device_(latents.device()), record_(record) {
        const int64_t count =
            settings.batchNoise == BatchNoise::OwnSeeds ? latents.size(0) : int64_t{1};
        for (int64_t i = 0; i < count; ++i) {
            generators_.emplace_back(settings.seed + static_cast<uint64_t>(i));
        }
    }

    /// With a generator for each image there are as many draws, whatever the batch of `shape`.
    at::Tensor draw(at::IntArrayRef shape) {
        std::vector<int64_t> sizes = shape.vec();
        sizes.front() = generators_.size() == 1 ? shape.front() : count();
        if (device_.is_meta()) {  // a dry run needs no numbers
            return tensor::uploadInDryRun(sizes, at::kFloat);
        }
        const at::Tensor noise = drawn(sizes);
        record_.putNext("random", noise);
        return tensor::upload(noise, device_);
    }

    [[nodiscard]] at::Tensor state() const {
        if (generators_.size() == 1) {
            return generators_.front().state();
        }
        std::vector<at::Tensor> states;
        for (const tensor::NoiseGenerator& generator : generators_) {
            states.push_back(generator.state());
        }
        return at::stack(states);
    }

    void setState(const at::Tensor& state) {
        if (generators_.size() == 1) {
            generators_.front().setState(state);
            return;
        }
        requireCarried(state.size(0) == count(),
                       message("{} generators for a batch of {}", state.size(0), count()));
        for (size_t i = 0; i < generators_.size(); ++i) {
            // torch reads elsewhere when the state is a view that does not begin its storage.
            generators_[i].setState(state[static_cast<int64_t>(i)].clone());
        }
    }

private:
    [[nodiscard]] int64_t count() const { return static_cast<int64_t>(generators_.size()); }

    at::Tensor drawn(std::vector<int64_t> sizes) {
        if (generators_.size() == 1) {
            return generators_.front().draw(sizes);
        }
        sizes.front() = 1;
        std::vector<at::Tensor> parts;
        for (tensor::NoiseGenerator& generator : generators_) {
            parts.push_back(generator.draw(sizes));
        }
        return at::cat(parts);
    }

    std::vector<tensor::NoiseGenerator> generators_;
    c10::Device device_;
    const tensor::Record& record_;
};

bool continues(const tensor::SamplerCarry* carry, const DenoiseSettings& settings) {
    return carry && !settings.addNoise && settings.part.startAt == 0 &&
           carry->schedule == settings.scheduleKey && carry->step == settings.part.startStep;
}

/// Whether the latents keep the noise that their last call leaves.
bool leavesNoise(const ScheduleRange& part) {
    return part.keepNoise || part.endAt < 1;
}

void restore(const tensor::SamplerCarry& carry,
             c10::Device device,
             Sampler& sampler,
             Noise& noise) {
    tensor::SamplerCarry here = carry;
    for (at::Tensor& entry : here.history) {
        entry = tensor::upload(entry, device);
    }
    sampler.restore(here);
    noise.setState(carry.generator);
}

/// The calls' initial latents, and the other inputs that they take.
struct Beginning {
    at::Tensor latents;
    at::Tensor clean{};          ///< where a mask keeps them
    at::Tensor noise{};          ///< of the entire pass, likewise
    at::Tensor extraChannels{};  ///< channels for a network that fills masks, [B, 1 + C, h, w]
};

at::Tensor drawn(const at::Tensor& mean, const at::Tensor& deviation, Noise& noise) {
    return deviation.defined() ? mean + deviation * noise.draw(mean.sizes()) : mean;
}

/// Draws what belongs to the mask. The reference draws the masked image for every network, also
/// for one that does not take it: such a draw is passed over.
void beginInpainting(Beginning& beginning, const DenoiseSettings& settings, Noise& noise) {
    const Inpainting& inpainting = settings.inpainting;
    if (inpainting.isBlended() && settings.deviation.defined()) {
        (void)noise.draw(settings.deviation.sizes());
    }
    if (!inpainting.masked.mean.defined()) {
        return;
    }
    beginning.extraChannels =
        inpaintingChannels(inpainting.mask,
                           drawn(inpainting.masked.mean, inpainting.masked.deviation, noise),
                           beginning.latents.size(0));
}

Beginning beginForward(const Sampler& sampler,
                       const at::Tensor& latents,
                       const DenoiseSettings& settings,
                       int firstCall,
                       Noise& noise) {
    const bool isNoiseAlone = settings.addNoise && settings.startsEmpty && firstCall == 0;
    const bool isBlended = settings.inpainting.isBlended();
    LOWTIDE_ASSERT(settings.addNoise || !settings.inpainting.mask.defined());
    const at::Tensor clean =
        isNoiseAlone && !isBlended ? latents : drawn(latents, settings.deviation, noise);
    if (!settings.addNoise) {
        return {.latents = clean};
    }
    const at::Tensor fresh = noise.draw(latents.sizes());
    Beginning beginning{.latents = isNoiseAlone ? fresh * sampler.schedule().initNoiseSigma
                                                : sampler.addNoise(clean, fresh, firstCall)};
    if (isBlended) {
        beginning.clean = clean;
        beginning.noise = fresh;
    }
    beginInpainting(beginning, settings, noise);
    return beginning;
}

/// Puts back what the mask keeps, with the noise that the latents have after `call`.
at::Tensor keptOutside(const Sampler& sampler,
                       const Beginning& beginning,
                       const at::Tensor& mask,
                       const at::Tensor& latents,
                       int call,
                       bool endsClean) {
    const int next = call + 1;
    const bool isClean = endsClean || next == sampler.callCount();
    return blended(
        mask,
        latents,
        isClean ? beginning.clean : sampler.addNoise(beginning.clean, beginning.noise, next));
}

/// [uncond, cond] as the predictions for the positive and for the negative prompt.
std::vector<at::Tensor> apart(const at::Tensor& prediction) {
    std::vector<at::Tensor> halves = prediction.chunk(2);
    std::swap(halves[0], halves[1]);
    return halves;
}

/// Classifier-free guidance. `rescale` > 0 brings the deviation of each image back towards that
/// of cond. Sources: Ho and Salimans 2022; Lin et al. 2023, eq. 15 and 16.
at::Tensor imageConditioning(const std::vector<at::Tensor>& predictions,
                             double scale,
                             double rescale) {
    const at::Tensor& conditional = predictions[0];
    const at::Tensor& unconditional = predictions[1];
    const at::Tensor guided = unconditional + (conditional - unconditional) * scale;
    if (rescale <= 0) {
        return guided;
    }
    using tensor::kernels::deviation;
    const at::Tensor rescaled = guided * (deviation(conditional) / deviation(guided));
    return rescaled * rescale + guided * (1 - rescale);
}

/// The calls of the network in one pass, as its step cache decides them.
class NetworkCalls {
public:
    NetworkCalls(const Sampler& sampler,
                 Denoiser& denoiser,
                 const DenoiseSettings& settings,
                 const CallRange& calls,
                 const tensor::Record& record)
        : sampler_(sampler),
          denoiser_(denoiser),
          settings_(settings),
          firstCall_(calls.first),
          record_(record),
          cache_(settings.cache.get(),
                 cachedRun(
                     sampler, calls, settings.cachePoints, settings.scheduler, settings.second)) {
        if (settings.teacher) {
            size_t recorded = 0;
            for (int call = calls.first; call < calls.last; ++call) {
                recorded += evaluationsAt(call);
            }
            teacher_.emplace(settings.teacher, recorded);
        }
    }

    /// One call with guidance where it is on: the prediction that the sampler steps along.
    /// `extraChannels` may be undefined.
    at::Tensor guided(const at::Tensor& latents, const at::Tensor& extraChannels, int call) {
        const at::Tensor timestep = sampler_.schedule().timesteps.select(0, call);
        const double scale = scaleAt(timestep);
        const auto forPrompts = [&](const at::Tensor& part) {
            if (scale <= 1) {
                return part;
            }
            return isSequential() ? part.contiguous() : at::cat({part, part});
        };
        const at::Tensor scaled = sampler_.scaleInput(forPrompts(latents), call);
        const at::Tensor input =
            extraChannels.defined() ? at::cat({scaled, forPrompts(extraChannels)}, 1) : scaled;
        for (size_t i = 0; i < evaluationsAt(call); ++i) {
            record_.putNext("model_in", input);
            record_.putNext("model_t",
                            isSequential() ? timestep.expand({latents.size(0)}) : timestep);
        }
        const std::vector<at::Tensor> raw = predicted(input, timestep, call);
        for (const at::Tensor& each : raw) {
            LOWTIDE_ASSERT(each.sizes() == scaled.sizes());
            record_.putNext("model_out", each);
        }
        at::Tensor prediction = raw[0];
        if (scale > 1) {
            prediction = imageConditioning(
                isSequential() ? raw : apart(raw[0]), scale, settings_.guidanceRescale);
        }
        if (settings_.negatesPrediction) {
            prediction = prediction.neg();
        }
        record_.putNext("noise_pred", prediction);
        return prediction;
    }

    [[nodiscard]] Json record() const { return cache_.record(); }

    [[nodiscard]] StepCounts end() { return cache_.end(); }

    [[nodiscard]] std::vector<CallError> errors() const {
        return teacher_ ? teacher_->errors() : std::vector<CallError>();
    }

private:
    [[nodiscard]] double scaleAt(const at::Tensor& timestep) const {
        return isOfSecond(timestep) ? settings_.second->guidanceScale : settings_.guidanceScale;
    }

    [[nodiscard]] bool isSequential() const { return settings_.guidance == Guidance::Sequential; }

    /// How often the network is asked in a call: once, or for each prompt.
    [[nodiscard]] size_t evaluationsAt(int call) const {
        return isSequential() && scaleAt(sampler_.schedule().timesteps.select(0, call)) > 1 ? 2 : 1;
    }

    [[nodiscard]] bool isOfSecond(const at::Tensor& timestep) const {
        return settings_.second && settings_.second->takes(timestepIn(timestep));
    }

    /// Of one evaluation of the network, or of one for the positive and one for the negative
    /// prompt.
    std::vector<at::Tensor> predicted(const at::Tensor& input,
                                      const at::Tensor& timestep,
                                      int call) {
        StepInfo info{.step = call,
                      .stepCount = sampler_.callCount(),
                      .solverStage = sampler_.solverStage(call),
                      .taken = call - firstCall_,
                      .isGuided = scaleAt(timestep) > 1};
        uint64_t prompts = denoiser_.promptsAt(timestep, info);
        if (settings_.accompaniedAt) {
            prompts = settings_.accompaniedAt(info.taken, prompts);
        }
        const size_t evaluations = evaluationsAt(call);
        // Forecasts and recorded passes are of both prompts at once, [uncond, cond].
        const bool isJoined = evaluations == 2 && (cache_.forecasts() || teacher_);
        const at::Tensor all = isJoined ? at::cat({input, input}) : input;
        // What one of the two models left is of no use to the other.
        cache_.decide(info, all, 2 * prompts + isOfSecond(timestep));
        std::vector<at::Tensor> made;
        for (size_t i = 0; i < evaluations && info.decision.work != StepWork::Predict; ++i) {
            StepInfo own = info;
            own.slot.isUncond = i == 1;
            own.decision.next = i + 1 == evaluations ? info.decision.next : info.decision.begins();
            made.push_back(denoiser_.predict(input, timestep, own));
        }
        if (settings_.made && !made.empty()) {
            settings_.made(made, info, isOfSecond(timestep));
        }
        if (made.empty()) {
            made = {cache_.predict(info, all)};
        } else if (isJoined) {
            made = {at::cat({made[1], made[0]})};
        }
        cache_.finish(info, all, made[0]);
        if (teacher_) {
            made = {teacher_->replace(all, made[0], evaluations)};
        }
        return isJoined ? apart(made[0]) : made;
    }

    const Sampler& sampler_;
    Denoiser& denoiser_;
    const DenoiseSettings& settings_;
    const int firstCall_;
    const tensor::Record& record_;
    CacheScope cache_;
    std::optional<TeacherForcing> teacher_;
};

std::shared_ptr<const tensor::SamplerCarry> carryOf(const Sampler& sampler,
                                                    const Noise& noise,
                                                    const DenoiseSettings& settings) {
    const int steps = sampler.stepCount();
    auto carry = std::make_shared<tensor::SamplerCarry>();
    sampler.save(*carry);
    carry->schedule = settings.scheduleKey;
    carry->step = settings.part.endStep < 0 ? steps : std::min(settings.part.endStep, steps);
    carry->generator = noise.state();
    return carry;
}

}  // namespace

CachedRun cachedRun(const Sampler& sampler,
                    const CallRange& calls,
                    const CachePoints& points,
                    const std::string& scheduler,
                    const std::optional<LowNoiseModel>& second) {
    CachedRun run{.firstCall = calls.first,
                  .scheduleCalls = sampler.callCount(),
                  .points = points,
                  .identity = {.scheduler = scheduler, .checkpoint = {}}};
    for (int call = calls.first; call < calls.last; ++call) {
        const auto timestep = [&] {
            return timestepIn(sampler.schedule().timesteps.select(0, call));
        };
        if (second && run.secondFrom < 0 && second->takes(timestep())) {
            run.secondFrom = call - calls.first;
        }
        run.stages.push_back(sampler.solverStage(call));
        run.sigmas.push_back(sampler.noiseRatio(call));
    }
    return run;
}

DenoiseResult denoise(Sampler& sampler,
                      Denoiser& denoiser,
                      const at::Tensor& latents,
                      const DenoiseSettings& settings,
                      const std::shared_ptr<const tensor::SamplerCarry>& carry,
                      const StopToken& stop,
                      const tensor::Record& record,
                      const std::function<void(int, int)>& progress) {
    const CallRange calls = callsOf(sampler, settings.part);
    Noise noise(settings, latents, record);
    if (continues(carry.get(), settings)) {
        restore(*carry, latents.device(), sampler, noise);
    }
    recordSchedule(sampler.schedule(), record);
    Beginning beginning = beginForward(sampler, latents, settings, calls.first, noise);
    if (settings.extraChannels.defined()) {
        std::vector<int64_t> sizes = settings.extraChannels.sizes().vec();
        sizes.front() = latents.size(0);
        beginning.extraChannels = settings.extraChannels.expand(sizes);
    }
    at::Tensor current = std::move(beginning.latents);
    record.put("latents.init", current);
    const auto draw = [&](at::IntArrayRef shape) { return noise.draw(shape); };
    NetworkCalls network(sampler, denoiser, settings, calls, record);
    for (int call = calls.first; call < calls.last; ++call) {
        stop.throwIfStopped();
        const at::Tensor prediction = network.guided(current, beginning.extraChannels, call);
        if (settings.look) {
            settings.look([&] { return sampler.cleanAt(prediction, current, call); },
                          call + 1 - calls.first,
                          calls.last - calls.first);
        }
        current = sampler.step(prediction, call, current, draw);
        record.putNext("latents.step", current);
        if (settings.inpainting.isBlended()) {
            const bool endsClean = call + 1 == calls.last && !leavesNoise(settings.part);
            current =
                keptOutside(sampler, beginning, settings.inpainting.mask, current, call, endsClean);
        }
        progress(call + 1 - calls.first, calls.last - calls.first);
    }
    record.put("latents.final", current);
    Json cacheRecord = network.record();
    return {.latents = current,
            .carry = givesCarry(settings.part) ? carryOf(sampler, noise, settings) : nullptr,
            .steps = network.end(),
            .cacheRecord = std::move(cacheRecord),
            .errors = network.errors()};
}

}  // namespace lowtide::sampling
