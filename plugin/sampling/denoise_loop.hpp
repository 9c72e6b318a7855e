#pragma once
// One sampling pass: noise, guidance, the calls one after another, steps, carry, records.

#include "plugin/base/json.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/sampling/denoiser.hpp"
#include "plugin/sampling/network_facts.hpp"
#include "plugin/sampling/sampler.hpp"
#include "plugin/sampling/schedule_range.hpp"
#include "plugin/sampling/step_caches/cache_scope.hpp"
#include "plugin/sampling/step_caches/step_cache.hpp"
#include "plugin/sampling/teacher_forcing.hpp"
#include "plugin/tensor/recorder.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lowtide::sampling {

/// Where the noise of a batch comes from.
enum class BatchNoise : uint8_t {
    OneStream,  ///< the generator of one seed draws whole batches, as diffusers and ComfyUI do
    OwnSeeds    ///< image k has the generator of seed + k: it gets the noise that it has alone
};

/// Whose noise a seed means, and how it is mixed.
enum class NoiseWay : uint8_t {
    Diffusers,  ///< one stream for all draws; an encoded image is drawn from its distribution
    ComfyUi     ///< initial noise from the seed, that of later steps from seed + 1 or a Brownian
                ///< motion; an encoded image is its mean. For a LevelSampler.
};

struct DenoiseSettings {
    double guidanceScale = 7.5;             ///< cfg; guidance is on above 1
    bool hasGuidanceBelowOne = false;       ///< guidance is on at every cfg but 1
    std::optional<LowNoiseModel> second{};  ///< nothing: one network makes all calls
    double guidanceRescale = 0;             ///< Lin et al. 2023, eq. 15-16; 0: off
    uint64_t seed = 0;
    BatchNoise batchNoise = BatchNoise::OneStream;
    NoiseWay noiseWay = NoiseWay::Diffusers;
    /// Between the parts of a split schedule latents alone are handed over: with startAt above 0 no
    /// carry is read, with endAt below 1 none is given.
    ScheduleRange part{};
    bool addNoise = true;
    /// The latents hold no image: at the first call they become noise alone, scaled by
    /// initNoiseSigma. Off: the noise of the pass's first call is added to them.
    bool startsEmpty = true;
    std::string scheduleKey;  ///< text that SamplerCarry::schedule must equal to be continued
    /// Like the latents, where they are the mean of a LatentDistribution; else undefined.
    at::Tensor deviation{};
    Inpainting inpainting{};                   ///< wants addNoise
    std::shared_ptr<const StepCache> cache{};  ///< null: every call is full
    CachePoints cachePoints{};                 ///< of the denoiser
    std::string scheduler{};                   ///< as RunIdentity has it
    Guidance guidance = Guidance::Batched;     ///< of the denoiser
    bool negatesPrediction = false;  ///< the sampler steps along the negative of what it gives
    /// Channels in addition to the latents in every call, [1 or B, C', ...], on their device; or
    /// undefined.
    at::Tensor extraChannels{};
    /// Null: the pass goes its own way. Else it goes along this one (TeacherForcing).
    std::shared_ptr<const RecordedRun> teacher{};
    /// Gets what the network computed in a call, before anything is made of it; empty: nobody
    /// looks.
    std::function<void(std::span<const at::Tensor> made, const StepInfo& step, bool isOfSecond)>
        made{};
    /// Called after every call, before the step is taken; empty: nobody looks. `clean` makes the
    /// clean latents that the call stands for, [B, C, h, w] on the device; `done` of `total` calls.
    std::function<void(const std::function<at::Tensor()>& clean, int done, int total)> look{};
    /// What goes with the prompts in a call of the pass (control, image prompts): another number
    /// wherever that changes, mixed with `prompts`. Empty: nothing does.
    std::function<uint64_t(int taken, uint64_t prompts)> accompaniedAt{};
};

/// What a step cache is given about a pass over `calls`; who knows the checkpoint adds it.
[[nodiscard]] CachedRun cachedRun(const Sampler& sampler,
                                  const CallRange& calls,
                                  const CachePoints& points,
                                  const std::string& scheduler,
                                  const std::optional<LowNoiseModel>& second = {});

struct DenoiseResult {
    at::Tensor latents;
    std::shared_ptr<const tensor::SamplerCarry> carry;  ///< with keepNoise, schedule not split
    StepCounts steps;
    Json cacheRecord;                 ///< what the step cache learnt; null: nothing
    std::vector<CallError> errors{};  ///< of every call, along a recorded pass only
};

/// Runs the sampler over the network: initial noise, guidance [uncond, cond], steps, carry.
/// `latents` [B, C, h, w] on the device: zeros for text to image. Draws in the order of the
/// reference: latents, initial noise, masked image, steps. Records random, latents.init,
/// timesteps, sigmas, init_noise_sigma, model_in, model_t, model_out, noise_pred, latents.step,
/// latents.final. `progress(done, total)` counts network calls, so that equal parts take equal
/// time. Throws Error{Cancelled} between calls. The step cache's sessions live as long as the
/// function runs. Errors of TeacherForcing where there is a teacher.
[[nodiscard]] DenoiseResult denoise(Sampler& sampler,
                                    Denoiser& denoiser,
                                    const at::Tensor& latents,
                                    const DenoiseSettings& settings,
                                    const std::shared_ptr<const tensor::SamplerCarry>& carry,
                                    const StopToken& stop,
                                    const tensor::Record& record,
                                    const std::function<void(int, int)>& progress);

}  // namespace lowtide::sampling
