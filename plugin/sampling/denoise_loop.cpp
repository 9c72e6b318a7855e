#include "plugin/sampling/denoise_loop.hpp"

#include "plugin/base/error.hpp"
#include "plugin/sampling/brownian_noise.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/solvers/level_sampler.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
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
        seed(settings.seed, count);
    }

    /// What is drawn from here on has the seeds after those of the pass.
    void beginLater(uint64_t firstSeed) { seed(firstSeed + 1, count()); }

    /// One Brownian motion for the pass, or one for each image.
    void beginMotion(uint64_t firstSeed, at::IntArrayRef shape, double lowest, double highest) {
        std::vector<int64_t> sizes = shape.vec();
        sizes.front() = generators_.size() == 1 ? shape.front() : 1;
        for (int64_t i = 0; i < count(); ++i) {
            motions_.emplace_back(firstSeed + static_cast<uint64_t>(i), sizes, lowest, highest);
        }
    }

    /// For a step between two levels: of the motion where there is one, else as draw().
    at::Tensor between(double from, double to, at::IntArrayRef shape) {
        if (motions_.empty() || device_.is_meta()) {
            return draw(shape);
        }
        std::vector<at::Tensor> parts;
        for (const BrownianNoise& motion : motions_) {
            parts.push_back(motion.between(from, to));
        }
        const at::Tensor noise = at::cat(parts);
        record_.putNext("random", noise);
        return tensor::upload(noise, device_);
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

    void seed(uint64_t first, int64_t count) {
        generators_.clear();
        for (int64_t i = 0; i < count; ++i) {
            generators_.emplace_back(first + static_cast<uint64_t>(i));
        }
    }

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
    std::vector<BrownianNoise> motions_;  ///< as many; empty: none
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
    const bool isOfComfyUi = settings.noiseWay == NoiseWay::ComfyUi;
    if (inpainting.isBlended() && settings.deviation.defined() && !isOfComfyUi) {
        (void)noise.draw(settings.deviation.sizes());
    }
    if (!inpainting.masked.mean.defined()) {
        return;
    }
    beginning.extraChannels = inpaintingChannels(
        inpainting.mask,
        isOfComfyUi ? inpainting.masked.mean
                    : drawn(inpainting.masked.mean, inpainting.masked.deviation, noise),
        beginning.latents.size(0));
}

Beginning beginForward(const Sampler& sampler,
                       const at::Tensor& latents,
                       const DenoiseSettings& settings,
                       int firstCall,
                       Noise& noise) {
    const bool isOfComfyUi = settings.noiseWay == NoiseWay::ComfyUi;
    const bool isNoiseAlone =
        settings.addNoise && settings.startsEmpty && firstCall == 0 && !isOfComfyUi;
    const bool isBlended = settings.inpainting.isBlended();
    LOWTIDE_ASSERT(settings.addNoise || !settings.inpainting.mask.defined());
    const at::Tensor clean = (isNoiseAlone && !isBlended) || isOfComfyUi
                                 ? latents
                                 : drawn(latents, settings.deviation, noise);
    if (!settings.addNoise && isOfComfyUi) {
        noise.beginLater(settings.seed);
    }
    if (!settings.addNoise) {
        return {.latents = isOfComfyUi ? sampler.addNoise(clean, at::zeros_like(clean), firstCall)
                                       : clean};
    }
    const at::Tensor fresh = noise.draw(latents.sizes());
    Beginning beginning{.latents = isNoiseAlone ? fresh * sampler.schedule().initNoiseSigma
                                                : sampler.addNoise(clean, fresh, firstCall)};
    if (isOfComfyUi) {
        noise.beginLater(settings.seed);
    }
    if (isBlended) {
        const LevelSampler* solver = sampler.alongLevels();
        const bool keepsLater = isOfComfyUi && solver && solver->type().keepsLaterNoise;
        beginning.clean = clean;
        beginning.noise = keepsLater ? noise.draw(latents.sizes()) : fresh;
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

/// One call of a pass: where in the schedule, at which time, and how it is shown latents.
struct NetworkCall {
    int index = 0;
    at::Tensor timestep;
    std::function<at::Tensor(const at::Tensor&)> scaled;
    double rescale = 0;       ///< as imageConditioning() takes it
    bool keepsParts = false;  ///< the predictions of both prompts are wanted, too
};

/// What a call gives.
struct Guided {
    at::Tensor prediction;  ///< that the sampler steps along
    at::Tensor cond{};      ///< of the positive prompt, where both were asked for and are kept
    at::Tensor uncond{};    ///< of the negative one, likewise
};

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
          needsUncond_(sampler.alongLevels() &&
                       sampler.alongLevels()->type().uncond == UncondUse::Always),
          record_(record),
          cache_(settings.cache.get(),
                 cachedRun(
                     sampler, calls, settings.cachePoints, settings.scheduler, settings.second)) {
        if (settings.teacher) {
            size_t recorded = 0;
            for (int call = calls.first; call < calls.last; ++call) {
                recorded += evaluationsAt(sampler.schedule().timesteps.select(0, call));
            }
            teacher_.emplace(settings.teacher, recorded);
        }
    }

    /// One call with guidance where it is on. `extraChannels` may be undefined.
    Guided guided(const at::Tensor& latents,
                  const at::Tensor& extraChannels,
                  const NetworkCall& call) {
        const bool asksBoth = isGuidedAt(call.timestep);
        const auto forPrompts = [&](const at::Tensor& part) {
            if (!asksBoth) {
                return part;
            }
            return isSequential() ? part.contiguous() : at::cat({part, part});
        };
        const at::Tensor scaled = call.scaled(forPrompts(latents));
        const at::Tensor input =
            extraChannels.defined() ? at::cat({scaled, forPrompts(extraChannels)}, 1) : scaled;
        for (size_t i = 0; i < evaluationsAt(call.timestep); ++i) {
            record_.putNext("model_in", input);
            record_.putNext(
                "model_t",
                isSequential() ? call.timestep.expand({latents.size(0)}) : call.timestep);
        }
        const std::vector<at::Tensor> raw = predicted(input, call);
        for (const at::Tensor& each : raw) {
            LOWTIDE_ASSERT(each.sizes() == scaled.sizes());
            record_.putNext("model_out", each);
        }
        Guided made{.prediction = raw[0]};
        if (asksBoth) {
            const std::vector<at::Tensor> both = isSequential() ? raw : apart(raw[0]);
            made.prediction = imageConditioning(both, scaleAt(call.timestep), call.rescale);
            if (call.keepsParts) {
                made.cond = both[0];
                made.uncond = both[1];
            }
        }
        for (at::Tensor* each : {&made.prediction, &made.cond, &made.uncond}) {
            if (settings_.negatesPrediction && each->defined()) {
                *each = each->neg();
            }
        }
        record_.putNext("noise_pred", made.prediction);
        return made;
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

    /// Whether both prompts are asked for.
    [[nodiscard]] bool isGuidedAt(const at::Tensor& timestep) const {
        constexpr double kNearOne = 1e-9;
        const double scale = scaleAt(timestep);
        return needsUncond_ ||
               (settings_.hasGuidanceBelowOne ? std::abs(scale - 1) > kNearOne : scale > 1);
    }

    /// How often the network is asked in a call: once, or for each prompt.
    [[nodiscard]] size_t evaluationsAt(const at::Tensor& timestep) const {
        return isSequential() && isGuidedAt(timestep) ? 2 : 1;
    }

    [[nodiscard]] bool isOfSecond(const at::Tensor& timestep) const {
        return settings_.second && settings_.second->takes(timestepIn(timestep));
    }

    /// Of one evaluation of the network, or of one for the positive and one for the negative
    /// prompt.
    std::vector<at::Tensor> predicted(const at::Tensor& input, const NetworkCall& call) {
        const at::Tensor& timestep = call.timestep;
        StepInfo info{.step = call.index,
                      .stepCount = sampler_.callCount(),
                      .solverStage = sampler_.solverStage(call.index),
                      .taken = call.index - firstCall_,
                      .isGuided = isGuidedAt(timestep)};
        uint64_t prompts = denoiser_.promptsAt(timestep, info);
        if (settings_.accompaniedAt) {
            prompts = settings_.accompaniedAt(info.taken, prompts);
        }
        const size_t evaluations = evaluationsAt(timestep);
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
    const bool needsUncond_;
    const tensor::Record& record_;
    CacheScope cache_;
    std::optional<TeacherForcing> teacher_;
};

/// What both kinds of samplers go through a pass with.
struct LoopParts {
    NetworkCalls& network;
    const Beginning& beginning;
    const DenoiseSettings& settings;
    CallRange calls;
    const StopToken& stop;
    const tensor::Record& record;
    const std::function<void(int, int)>& progress;
};

/// Guided clean latents with the deviation that those of the positive prompt have, in part: in
/// velocity, of a flow in clean latents themselves. Source: Lin et al. 2023 (arXiv 2305.08891), eq.
/// 15 and 16.
at::Tensor rescaledClean(const at::Tensor& guided,
                         const at::Tensor& cond,
                         const at::Tensor& latents,
                         const LevelSampler& sampler,
                         double sigma,
                         double rescale) {
    using tensor::kernels::deviation;
    const at::Tensor origin =
        sampler.isFlow() ? at::zeros_like(latents) : latents / (sigma * sigma + 1);
    const at::Tensor away = origin - guided;
    const at::Tensor factor = deviation(origin - cond) / deviation(away) * rescale + (1 - rescale);
    return origin - away * factor;
}

at::Tensor takeSteps(Sampler& sampler, const LoopParts& loop, Noise& noise, at::Tensor current) {
    const auto draw = [&](at::IntArrayRef shape) { return noise.draw(shape); };
    for (int call = loop.calls.first; call < loop.calls.last; ++call) {
        loop.stop.throwIfStopped();
        const at::Tensor prediction =
            loop.network
                .guided(
                    current,
                    loop.beginning.extraChannels,
                    {.index = call,
                     .timestep = sampler.schedule().timesteps.select(0, call),
                     .scaled =
                         [&](const at::Tensor& shown) { return sampler.scaleInput(shown, call); },
                     .rescale = loop.settings.guidanceRescale})
                .prediction;
        if (loop.settings.look) {
            loop.settings.look([&] { return sampler.cleanAt(prediction, current, call); },
                               call + 1 - loop.calls.first,
                               loop.calls.last - loop.calls.first);
        }
        current = sampler.step(prediction, call, current, draw);
        loop.record.putNext("latents.step", current);
        if (loop.settings.inpainting.isBlended()) {
            const bool endsClean = call + 1 == loop.calls.last && !leavesNoise(loop.settings.part);
            current = keptOutside(
                sampler, loop.beginning, loop.settings.inpainting.mask, current, call, endsClean);
        }
        loop.progress(call + 1 - loop.calls.first, loop.calls.last - loop.calls.first);
    }
    return current;
}

/// One call of a solver. What the mask keeps is put back into what the network is shown and into
/// what it gives, not into the latents between calls.
Denoised askedAt(const LevelSampler& sampler,
                 const LoopParts& loop,
                 const at::Tensor& latents,
                 double sigma,
                 int call) {
    const DenoiseSettings& settings = loop.settings;
    const at::Tensor& mask = settings.inpainting.mask;
    const bool isBlended = settings.inpainting.isBlended();
    const auto level = static_cast<float>(sigma);
    const NoiseProcess& process = sampler.process();
    const at::Tensor shown =
        isBlended
            ? blended(
                  mask, latents, sampler.noised(loop.beginning.clean, loop.beginning.noise, sigma))
            : latents;
    const Guided made = loop.network.guided(
        shown,
        loop.beginning.extraChannels,
        {.index = call,
         .timestep = sampler.timeAt(sigma),
         .scaled = [&](const at::Tensor& input) { return process.scaledInput(input, level); },
         .keepsParts = sampler.type().uncond != UncondUse::None || settings.guidanceRescale > 0});
    Denoised result{.clean = process.clean(made.prediction, shown, level)};
    result.uncond = made.uncond.defined() ? process.clean(made.uncond, shown, level) : result.clean;
    if (made.cond.defined() && settings.guidanceRescale > 0) {
        result.clean = rescaledClean(result.clean,
                                     process.clean(made.cond, shown, level),
                                     shown,
                                     sampler,
                                     sigma,
                                     settings.guidanceRescale);
    }
    if (isBlended) {
        result.clean = blended(mask, result.clean, loop.beginning.clean);
    }
    return result;
}

/// Of a flow ComfyUI hands over latents divided by the signal of the last level.
at::Tensor solveAlong(const LevelSampler& sampler,
                      const LoopParts& loop,
                      Noise& noise,
                      at::Tensor current) {
    const DenoiseSettings& settings = loop.settings;
    const int total = loop.calls.last - loop.calls.first;
    int done = 0;
    SolverRun run;
    run.ask = [&](const at::Tensor& latents, double sigma, int) {
        loop.stop.throwIfStopped();
        const Denoised result = askedAt(sampler, loop, latents, sigma, std::min(done, total - 1));
        done = std::min(done + 1, total);
        if (settings.look) {
            settings.look([&] { return result.clean; }, done, total);
        }
        loop.progress(done, total);
        return result;
    };
    run.noise = [&](double from, double to) { return noise.between(from, to, current.sizes()); };
    const double first = sampler.sigmas().front();
    if (sampler.type().noise == SolverNoise::Brownian && settings.noiseWay == NoiseWay::ComfyUi &&
        sampler.lowest() < first) {
        noise.beginMotion(settings.seed, current.sizes(), sampler.lowest(), first);
    }
    const at::Tensor solved = sampler.solve(std::move(run), current);
    loop.record.putNext("latents.step", solved);
    const double left = sampler.sigmas().back();
    return sampler.isFlow() && settings.noiseWay == NoiseWay::ComfyUi && left > 0 && left < 1
               ? solved / (1 - left)
               : solved;
}

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
    NetworkCalls network(sampler, denoiser, settings, calls, record);
    const LoopParts loop{network, beginning, settings, calls, stop, record, progress};
    current = sampler.alongLevels()
                  ? solveAlong(*sampler.alongLevels(), loop, noise, std::move(current))
                  : takeSteps(sampler, loop, noise, std::move(current));
    record.put("latents.final", current);
    Json cacheRecord = network.record();
    return {.latents = current,
            .carry = givesCarry(settings.part) && !sampler.alongLevels()
                         ? carryOf(sampler, noise, settings)
                         : nullptr,
            .steps = network.end(),
            .cacheRecord = std::move(cacheRecord),
            .errors = network.errors()};
}

}  // namespace lowtide::sampling
