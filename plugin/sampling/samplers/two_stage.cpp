// Samplers whose steps call the network twice: Heun, DPM2 and DPM2 a.

#include "plugin/base/error.hpp"
#include "plugin/sampling/noise_levels.hpp"
#include "plugin/sampling/samplers/sampler_bases.hpp"

#include <ATen/ATen.h>

namespace lowtide::sampling {

/// What Heun and KDPM2 share: a step calls the network at its own noise level and once more at a
/// second one, and then goes from where it began along the second slope (Heun: along the mean). A
/// step to noise 0 is done after the first call, so n steps take 2n - 1. Between two steps there is
/// no history; a pass never ends inside one.
class TwoStageSampler : public SigmaSampler {
public:
    using SigmaSampler::SigmaSampler;

    [[nodiscard]] int stepCount() const override { return (callCount() + 1) / 2; }

    [[nodiscard]] int firstCall(int step) const override { return std::min(2 * step, callCount()); }

    [[nodiscard]] int cleanEnd(int step) const override { return 2 * step - 1; }

    [[nodiscard]] int beginOf(int call) const override { return call - solverStage(call); }

    [[nodiscard]] int solverStage(int call) const override { return call % 2; }

    [[nodiscard]] at::Tensor scaleInput(const at::Tensor& latents, int call) const override;

    [[nodiscard]] at::Tensor cleanAt(const at::Tensor& prediction,
                                     const at::Tensor& latents,
                                     int call) const override {
        return clean(prediction, latents, inputSigma(call));
    }

    [[nodiscard]] at::Tensor step(const at::Tensor& prediction,
                                  int call,
                                  const at::Tensor& latents,
                                  const std::function<at::Tensor(at::IntArrayRef)>& noise) override;
    [[nodiscard]] at::Tensor addNoise(const at::Tensor& clean,
                                      const at::Tensor& noise,
                                      int call) const override;

protected:
    /// Noise levels of every step in addition to the one it begins with.
    struct Levels {
        std::vector<float> middle;  ///< of the second call
        std::vector<float> target;  ///< that the step goes to
        std::vector<float> fresh;   ///< noise added after it; empty: none
    };

    /// `middleTimesteps` [steps - 1] f32: where the second calls lie; `ends`: how often the last
    /// sigma stands in the schedule.
    void setLevels(Levels levels, const at::Tensor& middleTimesteps, int64_t ends);

    /// The noise level that every step goes to.
    [[nodiscard]] std::vector<float> nextSigmas() const;

    /// The slope that the whole step takes.
    [[nodiscard]] virtual at::Tensor slopeOf(const at::Tensor& first,
                                             const at::Tensor& second) const;

private:
    [[nodiscard]] float inputSigma(int call) const;
    [[nodiscard]] at::Tensor finish(const at::Tensor& slope,
                                    int step,
                                    const std::function<at::Tensor(at::IntArrayRef)>& noise) const;

    Levels levels_;
    at::Tensor begin_;       ///< latents that the step began with
    at::Tensor firstSlope_;  ///< at them
};

void TwoStageSampler::setLevels(Levels levels, const at::Tensor& middleTimesteps, int64_t ends) {
    levels_ = std::move(levels);
    for (size_t step = 0; step < levels_.middle.size(); ++step) {
        if (sigma(static_cast<int>(step) + 1) == 0) {
            levels_.middle[step] = 0;
        }
    }
    const at::Tensor timesteps = schedule().timesteps;
    const at::Tensor pairs = at::stack({middleTimesteps, timesteps.slice(0, 1)}, 1);
    const at::Tensor sigmas = schedule().sigmas;
    setCalls(at::cat({timesteps.slice(0, 0, 1), pairs.flatten()}),
             at::cat({sigmas.slice(0, 0, 1),
                      at::repeat_interleave(sigmas.slice(0, 1, -1), 2),
                      at::repeat_interleave(sigmas.slice(0, -1), ends)}));
}

std::vector<float> TwoStageSampler::nextSigmas() const {
    std::vector<float> next;
    for (int step = 1; step < schedule().sigmas.size(0); ++step) {
        next.push_back(sigma(step));
    }
    return next;
}

at::Tensor TwoStageSampler::slopeOf(const at::Tensor& /*first*/, const at::Tensor& second) const {
    return second;
}

float TwoStageSampler::inputSigma(int call) const {
    return solverStage(call) == 0 ? sigma(call / 2) : levels_.middle[static_cast<size_t>(call / 2)];
}

at::Tensor TwoStageSampler::scaleInput(const at::Tensor& latents, int call) const {
    return process().scaledInput(latents, inputSigma(call));
}

at::Tensor TwoStageSampler::step(const at::Tensor& prediction,
                                 int call,
                                 const at::Tensor& latents,
                                 const std::function<at::Tensor(at::IntArrayRef)>& noise) {
    const int step = call / 2;
    const float level = inputSigma(call);
    const at::Tensor slope = (latents - clean(prediction, latents, level)) / level;
    if (solverStage(call) == 1) {
        const at::Tensor moved = finish(slopeOf(firstSlope_, slope), step, noise);
        begin_.reset();
        firstSlope_.reset();
        return moved;
    }
    const float middle = levels_.middle[static_cast<size_t>(step)];
    if (middle > 0) {
        begin_ = latents;
        firstSlope_ = slope;
    }
    return latents + slope * (middle - level);
}

at::Tensor TwoStageSampler::finish(const at::Tensor& slope,
                                   int step,
                                   const std::function<at::Tensor(at::IntArrayRef)>& noise) const {
    const auto index = static_cast<size_t>(step);
    const at::Tensor moved = begin_ + slope * (levels_.target[index] - sigma(step));
    return levels_.fresh.empty() ? moved : moved + noise(slope.sizes()) * levels_.fresh[index];
}

at::Tensor TwoStageSampler::addNoise(const at::Tensor& clean,
                                     const at::Tensor& noise,
                                     int call) const {
    return process().noised(clean, noise, schedule().sigmas.const_data_ptr<float>()[call]);
}

namespace {

const SchedulerClass kHeunClass = {.label = "Heun",
                                   .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .betas = {}},
                                   .hasSigmaSpreads = true,
                                   .hasEdm = true,
                                   .hasFlow = true};

/// Heun's method along dx/dsigma: the mean of the slopes at both ends of a step. Source: Karras et
/// al. 2022, algorithm 1; values: HeunDiscreteScheduler.
class Heun final : public TwoStageSampler {
public:
    Heun(const SchedulerConfig& config, const ScheduleOptions& options, std::optional<double> clip)
        : TwoStageSampler(config, options), clip_(clip) {
        setLevels({.middle = nextSigmas(), .target = nextSigmas(), .fresh = {}},
                  schedule().timesteps.slice(0, 1),
                  1);
    }

protected:
    at::Tensor clean(const at::Tensor& prediction,
                     const at::Tensor& latents,
                     float sigma) const override {
        const at::Tensor predicted = TwoStageSampler::clean(prediction, latents, sigma);
        return clip_ ? at::clamp(predicted, -*clip_, *clip_) : predicted;
    }

    at::Tensor slopeOf(const at::Tensor& first, const at::Tensor& second) const override {
        return (first + second) / 2;
    }

private:
    std::optional<double> clip_;
};

std::unique_ptr<Sampler> makeHeun(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Heun>(readSchedulerConfig(config, kHeunClass, options),
                                  options,
                                  readClip(schedulerReader(config), false));
}

}  // namespace

SamplerType heun() {
    return {.name = "heun",
            .label = kHeunClass.label,
            .schedulerClass = "HeunDiscreteScheduler",
            .otherClasses = {"FlowMatchHeunDiscreteScheduler"},
            .readsZeroSnr = kHeunClass.hasZeroSnr,
            .make = makeHeun};
}

namespace {

const SchedulerClass kKdpm2Class = {.label = "DPM2",
                                    .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .betas = {}},
                                    .hasSigmaSpreads = true,
                                    .predictsSample = false,
                                    .hasEdm = true,
                                    .hasFlow = true,
                                    .karrasTimesteps = KarrasTimesteps::Integer};

/// DPM-Solver-2: the slope in the middle of a step, even in log sigma. Source: Karras et al. 2022,
/// algorithm 2, and Lu et al. 2022 as k-diffusion joins them; values: KDPM2DiscreteScheduler.
class Kdpm2 final : public TwoStageSampler {
public:
    Kdpm2(const SchedulerConfig& config, const ScheduleOptions& options)
        : TwoStageSampler(config, options) {
        const at::Tensor logs = at::log(schedule().sigmas);
        const at::Tensor between = at::exp(at::lerp(logs, at::roll(logs, 1), 0.5)).slice(0, 1);
        const at::Tensor timesteps =
            floatValues(process().timesAt(floatsOf(between.slice(0, 0, -1))));
        setLevels({.middle = floatsOf(between), .target = nextSigmas(), .fresh = {}}, timesteps, 3);
    }
};

std::unique_ptr<Sampler> makeKdpm2(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Kdpm2>(readSchedulerConfig(config, kKdpm2Class, options), options);
}

}  // namespace

SamplerType kdpm2() {
    return {.name = "kdpm2",
            .label = kKdpm2Class.label,
            .schedulerClass = "KDPM2DiscreteScheduler",
            .readsZeroSnr = kKdpm2Class.hasZeroSnr,
            .make = makeKdpm2};
}

namespace {

const SchedulerClass kKdpm2AncestralClass = {
    .label = "DPM2 a",
    .noise = {.betaStart = 0.00085, .betaEnd = 0.012, .betas = {}},
    .hasSigmaSpreads = true,
    .predictsSample = false,
    .hasEdm = true,
    .karrasTimesteps = KarrasTimesteps::Integer};

/// From a very high sigma the way down is lost in the rounding of float32, here and in the
/// reference.
void refuseLostWay(const at::Tensor& middles) {
    if (at::isnan(middles).any().const_data_ptr<bool>()[0]) {
        throw Error(ErrorKind::Unsupported,
                    message("DPM2 a cannot go down in {} steps: noise levels are too far apart for "
                            "single precision",
                            middles.size(0) + 1),
                    message("choose more steps, sigmas that lie closer, or another sampler"),
                    "steps");
    }
}

/// Ancestral DPM-Solver-2: goes further down than asked, with the slope in the middle of the way,
/// and adds fresh noise after every step but one to noise 0. Source: k-diffusion
/// sample_dpm_2_ancestral; values: KDPM2AncestralDiscreteScheduler.
class Kdpm2Ancestral final : public TwoStageSampler {
public:
    Kdpm2Ancestral(const SchedulerConfig& config, const ScheduleOptions& options)
        : TwoStageSampler(config, options) {
        const at::Tensor sigmas = schedule().sigmas;
        const at::Tensor from = sigmas.slice(0, 0, -1);
        const at::Tensor to = sigmas.slice(0, 1);
        const at::Tensor fresh =
            at::pow(at::pow(to, 2) * (at::pow(from, 2) - at::pow(to, 2)) / at::pow(from, 2), 0.5);
        const at::Tensor down = at::pow(at::pow(to, 2) - at::pow(fresh, 2), 0.5);
        const at::Tensor between = at::exp(at::lerp(at::log(from), at::log(down), 0.5));
        refuseLostWay(between.slice(0, 0, -1));
        const at::Tensor timesteps =
            floatValues(process().timesAt(floatsOf(between.slice(0, 0, -1))));
        setLevels({.middle = floatsOf(between), .target = floatsOf(down), .fresh = floatsOf(fresh)},
                  timesteps,
                  3);
    }
};

std::unique_ptr<Sampler> makeKdpm2Ancestral(const Json& config, const ScheduleOptions& options) {
    return std::make_unique<Kdpm2Ancestral>(
        readSchedulerConfig(config, kKdpm2AncestralClass, options), options);
}

}  // namespace

SamplerType kdpm2_a() {
    return {.name = "kdpm2_a",
            .label = kKdpm2AncestralClass.label,
            .schedulerClass = "KDPM2AncestralDiscreteScheduler",
            .drawsNoise = true,
            .readsZeroSnr = kKdpm2AncestralClass.hasZeroSnr,
            .make = makeKdpm2Ancestral};
}

}  // namespace lowtide::sampling
